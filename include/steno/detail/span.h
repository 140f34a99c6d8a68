// The expansion of a span (span.h): two statements, and an object that writes the record of the first when it is made
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

STENO_DETAIL_BEGIN_QUIET
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
// disabled. The image is only read; were it const, GCC would warn that one without arguments holds nothing.
STENO_EXPORT void begin_span(DefaultSlot slot, SpanState& state, char* image, const SiteEntry& site,
                             const SiteEntry& end, std::uint64_t word) noexcept;
STENO_EXPORT void begin_span(LoggerSlot slot, SpanState& state, char* image, const SiteEntry& site,
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

// The state that a span keeps until it ends. Copying it bit by bit is harmless: that is what a coroutine of GCC 12 does
// to an object with a co_await among its arguments, and why the span ends with another object.
template <std::size_t kFixed, bool kStrings>
class SpanImage {
 public:
  SpanImage() = default;
  template <class Slot, class... W>
  SpanImage(Slot slot, const LoggerState* logger, const SiteEntry& begin, const SiteEntry& end, std::uint64_t word,
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
  void end() {
    if (state_.end != nullptr) end_span(state_, image_);
  }

 private:
  SpanState state_;
  // Its fixed part is copied in units of 8 bytes.
  alignas(8) char image_[(kFixed + 7) / 8 * 8 + (kStrings ? kSpanText : 0) + 8];
};

template <class... W>
using SpanImageOf = SpanImage<kFixedBytes<W...>, (kStringCount<W...> != 0)>;

template <class T>
using SpanWire = decltype(measured(wire<letter_of<Bare<T>>(), false>(captured(std::declval<const T&>()))));

template <class Begin, class End, bool kCompiled>
struct SpanSites {};

// A span that begins, with arguments as those of Call.
template <bool kCompiled, class... A>
class Span : public SpanImageOf<SpanWire<Parameter<A>>...> {
 public:
  Span(NoSpan) {}
  // Once its first site is known to be enabled, or not yet registered (word 0).
  template <class Begin, class End, class Slot, class Format>
  STENO_ALWAYS_INLINE Span(SpanSites<Begin, End, true>, Slot slot, const LoggerState* logger, std::uint64_t found,
                           const Format&, Parameter<A>... args)
      : Span::SpanImage(slot, logger, SpanStatement<Begin, false, Bare<A>...>::kSite,
                        SpanStatement<End, true, Bare<A>...>::kSite, slot.address(found),
                        measured(wire<letter_of<Bare<A>>(), false>(captured(args)))...) {
    static_cast<void>(&SpanStatement<Begin, false, Bare<A>...>::registered);
    static_cast<void>(&SpanStatement<End, true, Bare<A>...>::registered);
  }
};

// Stripped: only checks.
template <class... A>
class Span<false, A...> : public SpanImage<0, false> {
 public:
  Span(NoSpan) {}
  template <class Begin, class End, class Slot, class Format>
  Span(SpanSites<Begin, End, false>, Slot, const LoggerState*, std::uint64_t, const Format&, Parameter<A>...) {
    static_cast<void>(sizeof(SpanStatement<Begin, false, Bare<A>...>));
  }
};
template <class Begin, class End, bool kCompiled, class Slot, class Format, class... A>
Span(SpanSites<Begin, End, kCompiled>, Slot, const LoggerState*, std::uint64_t, const Format&, const A&...)
    -> Span<kCompiled, A...>;

// Ends the span with its scope.
template <class Image>
class SpanEnd {
 public:
  explicit SpanEnd(Image& image) : image_(image) {}
  ~SpanEnd() { image_.end(); }
  SpanEnd(const SpanEnd&) = delete;
  SpanEnd& operator=(const SpanEnd&) = delete;

 private:
  Image& image_;
};
template <class Image>
SpanEnd(Image&) -> SpanEnd<Image>;

STENO_DETAIL_END_QUIET
}  // namespace steno::detail

#define STENO_DETAIL_SPAN_SITE(name, n, to_logger, text)                                                          \
  struct name {                                                                                                   \
    static constexpr ::steno::detail::StatementText steno_text() {                                                \
      return {text, sizeof(text) - 1, __FILE__, steno_function_##n, __LINE__, steno_level_##n, false, to_logger}; \
    }                                                                                                             \
  }
#define STENO_DETAIL_SPAN_SITES(n, to_logger, level, format)                                                         \
  static_assert(                                                                                                     \
      ::steno::detail::level_number(level) >= 0,                                                                     \
      "steno: no such level: TRACE, DEBUG, INFO, NOTICE, WARN, ERROR, CRITICAL; a logger before it: STENO_SPAN_TO"); \
  static_assert(::steno::detail::is_literal(STENO_DETAIL_SPELLING(format)),                                          \
                "steno: the format must be a string literal; log other text as \"{}\", text");                       \
  constexpr ::steno::Level steno_level_##n = ::steno::detail::level_of(::steno::detail::level_number(level));        \
  constexpr bool steno_compiled_##n = ::steno::detail::compiled_in(steno_level_##n, STENO_MIN_LEVEL);                \
  [[maybe_unused]] constexpr const char* steno_function_##n = __func__;                                              \
  STENO_DETAIL_SPAN_SITE(StenoBegin_##n, n, to_logger, "" format ": begin");                                         \
  STENO_DETAIL_SPAN_SITE(StenoEnd_##n, n, to_logger, "" format ": end, {duration} ns");                              \
  const ::std::uint64_t steno_word_##n =                                                                             \
      __atomic_load_n(&::steno::detail::SiteWord<StenoBegin_##n>::word, __ATOMIC_RELAXED)
#define STENO_DETAIL_SPAN_ENABLED(n) \
  steno_compiled_##n&& STENO_LIKELY((steno_word_##n & ::steno::detail::kDisabledBit) == 0)

#define STENO_DETAIL_SPAN(n, level, ...) STENO_DETAIL_SPAN_NUMBERED(n, level, __VA_ARGS__)
#define STENO_DETAIL_SPAN_NUMBERED(n, level, ...)                                                                 \
  STENO_DETAIL_SPAN_SITES(n, false, level, STENO_DETAIL_FIRST(__VA_ARGS__));                                      \
  auto steno_image_##n =                                                                                          \
      STENO_DETAIL_SPAN_ENABLED(n)                                                                                \
          ? ::steno::detail::Span(::steno::detail::SpanSites<StenoBegin_##n, StenoEnd_##n, steno_compiled_##n>(), \
                                  ::steno::detail::DefaultSlot(), nullptr, steno_word_##n, __VA_ARGS__)           \
          : ::steno::detail::NoSpan();                                                                            \
  const ::steno::detail::SpanEnd steno_span_##n(steno_image_##n)
#define STENO_DETAIL_SPAN_TO(n, logger, level, ...) STENO_DETAIL_SPAN_TO_NUMBERED(n, logger, level, __VA_ARGS__)
#define STENO_DETAIL_SPAN_TO_NUMBERED(n, logger, level, ...)                                                        \
  STENO_DETAIL_SPAN_SITES(n, true, level, STENO_DETAIL_FIRST(__VA_ARGS__));                                         \
  const ::steno::Logger steno_logger_##n = (logger);                                                                \
  auto steno_image_##n =                                                                                            \
      STENO_DETAIL_SPAN_ENABLED(n) && ::steno::detail::passes(steno_logger_##n, steno_level_##n, steno_word_##n)    \
          ? ::steno::detail::Span(::steno::detail::SpanSites<StenoBegin_##n, StenoEnd_##n, steno_compiled_##n>(),   \
                                  ::steno::detail::LoggerSlot(*steno_logger_##n.state()), steno_logger_##n.state(), \
                                  steno_word_##n, __VA_ARGS__)                                                      \
          : ::steno::detail::NoSpan();                                                                              \
  const ::steno::detail::SpanEnd steno_span_##n(steno_image_##n)
