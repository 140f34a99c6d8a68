// What a span expands to (span.h): two statements, and an object that writes the record of the first when it is made
// and of the second when it goes. The arguments are kept in it as they lie in a record, so what writes is not compiled
// for each combination of types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/site.h"
#include "steno/detail/statement.h"
#include "steno/detail/writer.h"
#include "steno/logger.h"

namespace steno::detail {

inline constexpr std::size_t kSpanFields = 16;  // bytes in a record: span and parent
inline constexpr std::size_t kSpanText = 512;   // bytes of strings that a span keeps

// A span that has begun. `image`, beside it: the arguments' fixed part, then their payloads.
struct SpanState {
  const SiteEntry* end = nullptr;       // null: it has not
  const LoggerState* logger = nullptr;  // null: none was named
  std::uint64_t span;
  std::uint64_t parent;
  std::uint64_t begin;    // ticks
  bool called_clock;      // they are ns
  std::uint32_t fixed;    // bytes
  std::uint32_t payload;  // bytes
};

// Writes the begin's record. `word` was found at `site`, and names the logger. Not begun, if the site turns out to be
// disabled.
STENO_EXPORT void begin_span(DefaultSlot slot, SpanState& state, const char* image, const SiteEntry& site,
                             const SiteEntry& end, std::uint64_t word) noexcept;
STENO_EXPORT void begin_span(LoggerSlot slot, SpanState& state, const char* image, const SiteEntry& site,
                             const SiteEntry& end, std::uint64_t word) noexcept;
STENO_EXPORT void end_span(SpanState& state, const char* image) noexcept;
// The image of arguments whose strings are longer than kSpanText; returns the payload.
STENO_EXPORT STENO_COLD std::size_t cut_span_text(const char* types, std::size_t count, const Wire* arguments,
                                                  char* image) noexcept;

// One of a span's two statements. After the arguments: at its end the duration; span and parent.
template <class S, bool kEnd, class... A>
struct STENO_HIDDEN SpanStatement {
  static constexpr Letters<sizeof...(A) + 3> letters() {
    Letters<sizeof...(A) + 3> out = {{letter_of<A>()...}};
    std::size_t n = sizeof...(A);
    for (const std::size_t all = n + (kEnd ? 3 : 2); n < all; ++n) out.of[n] = 'm';
    return out;
  }
  static constexpr SiteEntry site(const char* types) {
    SiteEntry entry = site_entry(S::steno_text(), &SiteWord<S>::word, types, record_size8(types));
    entry.span = true;
    if constexpr (Signature<A...>::kDescribed) {
      entry.types = DescribedTypes < kEnd ? 3 : 2, A... > ::kText.of;
      entry.described = true;
    }
    return entry;
  }
  static constexpr Letters<sizeof...(A) + 3> kLetters = letters();
  static constexpr Verdict kVerdict =
      brace_verdict_of<A...>(S::steno_text(), kLetters.of, sizeof...(A) + (kEnd ? 1 : 0));
  static constexpr SiteEntry kSite = site(kLetters.of);
  static inline const std::uint64_t registered = register_site(kSite);

  static_assert(Pointers<!Signature<A...>::kTypedPointers>::kFine);
  static_assert(Report<kVerdict.error, kVerdict.argument, kVerdict.where>::kFine);
};

struct NoSpan {};

template <std::size_t kFixed, bool kStrings>
class Span {
 public:
  Span(NoSpan) {}  // NOLINT: what a disabled one is made of
  template <class Slot, class... W>
  Span(Slot slot, const LoggerState* logger, const SiteEntry& begin, const SiteEntry& end, std::uint64_t word,
       const W&... wires) {
    state_.logger = logger;
    state_.fixed = kFixed;
    const std::size_t payload = (payload_size(wires) + ... + 0);
    if (STENO_UNLIKELY(payload > kSpanText)) {
      const Wire array[] = {Wire(wires)..., Wire(Scalar<std::uint64_t>{0})};
      state_.payload = static_cast<std::uint32_t>(cut_span_text(begin.types, sizeof...(W), array, image_));
    } else {
      state_.payload = static_cast<std::uint32_t>(payload);
      [[maybe_unused]] char* p = image_;
      (store_fixed(p, wires), ...);
      (store_payload(p, wires), ...);
    }
    begin_span(slot, state_, image_, begin, end, word);
  }
  ~Span() {
    if (state_.end != nullptr) end_span(state_, image_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  SpanState state_;
  // Its fixed part is copied in units of 8 bytes.
  alignas(8) char image_[(kFixed + 7) / 8 * 8 + (kStrings ? kSpanText : 0) + 8];
};

template <class... W>
using SpanOf = Span<kFixedBytes<W...>, kAnyStrings<W...>>;

template <class...>
struct Types {};

template <class Begin, class End, class Slot, class... A, class... W>
STENO_ALWAYS_INLINE SpanOf<W...> span_of_wires(Slot slot, const LoggerState* logger, std::uint64_t found, Types<A...>,
                                               const W&... wires) {
  using First = SpanStatement<Begin, false, A...>;
  using Second = SpanStatement<End, true, A...>;
  static_cast<void>(&First::registered);
  static_cast<void>(&Second::registered);
  return SpanOf<W...>(slot, logger, First::kSite, Second::kSite, slot.address(found), wires...);
}

// The span's object, once its first site is known to be enabled, or not yet registered (word 0). Stripped: only checks.
template <class Begin, class End, bool kCompiled, class Slot, class Format, class... A>
STENO_ALWAYS_INLINE auto span(Slot slot, const LoggerState* logger, std::uint64_t found, const Format&,
                              const A&... args) {
  if constexpr (kCompiled) {
    return span_of_wires<Begin, End>(slot, logger, found, Types<Bare<A>...>(),
                                     measured(wire<letter_of<Bare<A>>(), false>(captured(args)))...);
  } else {
    static_cast<void>(sizeof(SpanStatement<Begin, false, Bare<A>...>));
    return Span<0, false>(NoSpan());
  }
}

}  // namespace steno::detail

#define STENO_DETAIL_SPAN_SITE(name, n, to_logger, text)                                                          \
  struct name {                                                                                                   \
    static constexpr ::steno::detail::StatementText steno_text() {                                                \
      return {text, sizeof(text) - 1, __FILE__, steno_function_##n, __LINE__, steno_level_##n, false, to_logger}; \
    }                                                                                                             \
  }
#define STENO_DETAIL_SPAN_SITES(n, to_logger, level, format)                                                  \
  static_assert(::steno::detail::level_number(level) >= 0,                                                    \
                "steno: no such level: TRACE, DEBUG, INFO, NOTICE, WARN, ERROR, CRITICAL");                   \
  static_assert(::steno::detail::is_literal(STENO_DETAIL_SPELLING(format)),                                   \
                "steno: the format must be a string literal; log other text as \"{}\", text");                \
  constexpr ::steno::Level steno_level_##n = ::steno::detail::level_of(::steno::detail::level_number(level)); \
  constexpr bool steno_compiled_##n = ::steno::detail::compiled_in(steno_level_##n, STENO_MIN_LEVEL);         \
  [[maybe_unused]] constexpr const char* steno_function_##n = __func__;                                       \
  STENO_DETAIL_SPAN_SITE(StenoBegin_##n, n, to_logger, "" format ": begin");                                  \
  STENO_DETAIL_SPAN_SITE(StenoEnd_##n, n, to_logger, "" format ": end, {duration} ns");                       \
  const ::std::uint64_t steno_word_##n =                                                                      \
      __atomic_load_n(&::steno::detail::SiteWord<StenoBegin_##n>::word, __ATOMIC_RELAXED)
#define STENO_DETAIL_SPAN_ENABLED(n) \
  steno_compiled_##n&& STENO_LIKELY((steno_word_##n & ::steno::detail::kDisabledBit) == 0)

#define STENO_DETAIL_SPAN(n, level, ...) STENO_DETAIL_SPAN_NUMBERED(n, level, __VA_ARGS__)
#define STENO_DETAIL_SPAN_NUMBERED(n, level, ...)                                                             \
  STENO_DETAIL_SPAN_SITES(n, false, level, STENO_DETAIL_FIRST(__VA_ARGS__));                                  \
  const auto steno_span_##n = STENO_DETAIL_SPAN_ENABLED(n)                                                    \
                                  ? ::steno::detail::span<StenoBegin_##n, StenoEnd_##n, steno_compiled_##n>(  \
                                        ::steno::detail::DefaultSlot(), nullptr, steno_word_##n, __VA_ARGS__) \
                                  : ::steno::detail::NoSpan()
#define STENO_DETAIL_SPAN_TO(n, logger, level, ...) STENO_DETAIL_SPAN_TO_NUMBERED(n, logger, level, __VA_ARGS__)
#define STENO_DETAIL_SPAN_TO_NUMBERED(n, logger, level, ...)                                                      \
  STENO_DETAIL_SPAN_SITES(n, true, level, STENO_DETAIL_FIRST(__VA_ARGS__));                                       \
  const ::steno::Logger steno_logger_##n = (logger);                                                              \
  const auto steno_span_##n =                                                                                     \
      STENO_DETAIL_SPAN_ENABLED(n) && ::steno::detail::passes(steno_logger_##n, steno_level_##n, steno_word_##n)  \
          ? ::steno::detail::span<StenoBegin_##n, StenoEnd_##n, steno_compiled_##n>(                              \
                ::steno::detail::LoggerSlot(*steno_logger_##n.state()), steno_logger_##n.state(), steno_word_##n, \
                __VA_ARGS__)                                                                                      \
          : ::steno::detail::NoSpan()
