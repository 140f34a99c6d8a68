// The expansion of a statement whose arguments may be absent (containers.h): std::optional, and the alternatives of a
// std::variant. Each is an argument of the value's type; after the arguments is a field that says whether it is there
// (types.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/statement.h"

namespace steno::detail {

// NullableParts of a type with kIs: `Value`, find(x), the value or nullptr, and what kFlag says of a field of its own:
// flag(x) is its value, and kMark and kAlternatives are its name, "?3" or "|3,2".
template <class A, bool = kIsNullable<A>>
struct NullableTraits {
  using Value = A;
  static constexpr char kMark = '\0';
  static constexpr std::size_t kAlternatives = 0;
  static constexpr auto flags(const A&) { return std::tuple<>(); }
};
template <class A>
struct NullableTraits<A, true> {
  using Parts = NullableParts<A>;
  using Value = typename Parts::Value;
  static constexpr char kMark = Parts::kFlag ? Parts::kMark : '\0';
  static constexpr std::size_t kAlternatives = Parts::kAlternatives;
  static constexpr auto flags(const A& arg) {
    if constexpr (Parts::kFlag) {
      return std::make_tuple(Scalar<decltype(Parts::flag(arg))>{Parts::flag(arg)});
    } else {
      return std::tuple<>();
    }
  }
};

constexpr char* put_small(std::size_t number, char* p) {
  if (number >= 100) *p++ = static_cast<char>('0' + number / 100);
  if (number >= 10) *p++ = static_cast<char>('0' + number / 10 % 10);
  *p++ = static_cast<char>('0' + number % 10);
  return p;
}

template <class S, class... A>
struct STENO_HIDDEN NullableStatement {
  static constexpr std::size_t kCount = sizeof...(A);
  static constexpr std::size_t kFlags = ((NullableTraits<A>::kMark != '\0' ? 1 : 0) + ... + 0);
  static constexpr std::size_t kMostName = 10;  // "|255,255", and its NUL
  using Types = Signature<typename NullableTraits<A>::Value...>;

  static constexpr Letters<kCount + kFlags> letters() {
    Letters<kCount + kFlags> out = {{Types::kLetters.of[0]}};
    const char marks[] = {NullableTraits<A>::kMark...};
    std::size_t n = kCount;
    for (std::size_t i = 0; i < kCount; ++i) {
      out.of[i] = Types::kLetters.of[i];
      if (marks[i] != '\0') out.of[n++] = marks[i] == '?' ? 'b' : 'h';
    }
    return out;
  }
  static constexpr Letters<kCount + kFlags> kLetters = letters();

  // The types, what each means, the names of the fields (SiteEntry).
  struct Text {
    char of[kCount + kFlags + 1 + ((length_of(meaning_of<typename NullableTraits<A>::Value>()) + 1) + ...) + kFlags +
            kFlags * kMostName];
  };
  static constexpr Text make() {
    Text text{};
    const char* const meanings[] = {meaning_of<typename NullableTraits<A>::Value>()...};
    const char marks[] = {NullableTraits<A>::kMark...};
    const std::size_t alternatives[] = {NullableTraits<A>::kAlternatives...};
    char* p = text.of;
    for (const char* c = kLetters.of; *c != '\0'; ++c) *p++ = *c;
    ++p;
    for (std::size_t i = 0; i < kCount; ++i, ++p) {
      for (const char* c = meanings[i]; *c != '\0'; ++c) *p++ = *c;
    }
    p += kFlags;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (marks[i] == '\0') continue;
      *p++ = marks[i];
      p = put_small(i, p);
      if (marks[i] == '|') {
        *p++ = ',';
        p = put_small(alternatives[i], p);
      }
      ++p;
    }
    return text;
  }
  static constexpr Text kText = make();

  static constexpr Verdict kVerdict =
      brace_verdict_of<typename NullableTraits<A>::Value...>(S::steno_text(), kLetters.of, kCount);
  static constexpr SiteEntry site() {
    SiteEntry entry = site_entry(S::steno_text(), &SiteWord<S>::word, kText.of, record_size8(kLetters.of));
    entry.described = true;
    entry.fields = static_cast<std::uint8_t>(kFlags);
    return entry;
  }
  static constexpr SiteEntry kSite = site();
  STENO_DETAIL_BEGIN_QUIET
  static inline const std::uint64_t registered = register_site(kSite);
  STENO_DETAIL_END_QUIET

  static_assert(Pointers<!Types::kTypedPointers>::kFine);
  static_assert(Report<kVerdict.error, kVerdict.argument, kVerdict.where>::kFine);
};

// Where the value lies until it is in the record: nullptr, or an empty optional, if there is none.
template <class A>
STENO_ALWAYS_INLINE decltype(auto) held(const A& arg) {
  if constexpr (!kIsNullable<A>) {
    return captured(arg);
  } else {
    const typename NullableTraits<A>::Value* const value = NullableParts<A>::find(arg);
    if constexpr (needs_capture<typename NullableTraits<A>::Value>()) {
      using Captured = Bare<decltype(captured(*value))>;
      return value != nullptr ? std::optional<Captured>(captured(*value)) : std::optional<Captured>();
    } else {
      return value;
    }
  }
}

template <class T>
constexpr Scalar<T> absent(Typed<Scalar<T>>) {
  return {};
}
constexpr Bytes absent(Typed<Bytes>) {
  return {nullptr, kNullBytes};
}
constexpr Terminated absent(Typed<Terminated>) {
  return {nullptr};
}

template <class A, class Held>
STENO_ALWAYS_INLINE auto nullable_wire(const Held& held) {
  constexpr char kAs = letter_of<typename NullableTraits<A>::Value>();
  if constexpr (!kIsNullable<A>) {
    return wire<kAs, false>(held);
  } else {
    using Wired = decltype(wire<kAs, false>(*held));
    return held ? wire<kAs, false>(*held) : absent(Typed<Wired>());
  }
}

template <class St, bool kNotifies, class Slot, class... Flags, class... W>
STENO_ALWAYS_INLINE bool write_nullables(Slot slot, std::uint64_t word, const std::tuple<Flags...>& flags,
                                         const W&... wires) {
  return std::apply(
      [&](const Flags&... flag) { return write_record<kNotifies>(slot, St::kSite, word, wires..., flag...); }, flags);
}

template <class S, class Slot, class... A>
STENO_ALWAYS_INLINE bool log_nullables(Slot slot, std::uint64_t found, const A&... args) {
  constexpr bool kNotifies = S::steno_text().level >= Level::kWarn;
  using St = NullableStatement<S, Bare<A>...>;
  static_cast<void>(&St::registered);
  return write_nullables<St, kNotifies>(slot, slot.address(found),
                                        std::tuple_cat(NullableTraits<Bare<A>>::flags(args)...),
                                        nullable_wire<Bare<A>>(held<Bare<A>>(args))...);
}
template <class S, class... A>
constexpr void check_nullables(const A&...) {
  static_cast<void>(sizeof(NullableStatement<S, Bare<A>...>));
}

}  // namespace steno::detail
