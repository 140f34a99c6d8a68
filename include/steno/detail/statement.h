// What a log statement expands to (log.h).
//
// Every statement is a type: a local struct with the facts of the site. Templates over it hold the site's word, check the
// format against the arguments' types, register the site before main, and write the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "steno/detail/arg_type.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/capture.h"
#include "steno/detail/config.h"
#include "steno/detail/printf_format.h"
#include "steno/detail/report.h"
#include "steno/detail/site.h"
#include "steno/detail/writer.h"
#include "steno/level.h"
#include "steno/logger.h"

namespace steno::detail {

inline constexpr Level level_TRACE = Level::kTrace;
inline constexpr Level level_DEBUG = Level::kDebug;
inline constexpr Level level_INFO = Level::kInfo;
inline constexpr Level level_NOTICE = Level::kNotice;
inline constexpr Level level_WARN = Level::kWarn;
inline constexpr Level level_ERROR = Level::kError;
inline constexpr Level level_CRITICAL = Level::kCritical;

inline constexpr std::size_t kArgsOffset = 16;      // header and clock
inline constexpr std::size_t kLargeRecord = 4096;   // above it a record goes the cold way, which may cut strings

constexpr bool compiled_in(Level level, int min_level) { return static_cast<int>(level) >= min_level; }

template <class S>
struct STENO_HIDDEN SiteWord {
  static inline std::uint64_t word = 0;
};

template <class S>
STENO_ALWAYS_INLINE std::int64_t load_word() {
  return static_cast<std::int64_t>(__atomic_load_n(&SiteWord<S>::word, __ATOMIC_RELAXED));
}

// Writes a record above kLargeRecord; cuts strings that do not fit (types.md). `fixed` is the fixed part.
STENO_EXPORT STENO_COLD void log_large(std::uint32_t slot, std::uint64_t word, const SiteEntry& site, const char* fixed,
                                       std::size_t fixed_size, const Bytes* arguments) noexcept;

template <std::size_t kCount>
struct Letters {
  char of[kCount + 2] = {};  // arguments, perhaps 'E', NUL
};

template <class S, class... A>
struct STENO_HIDDEN Statement {
  static constexpr std::size_t kCount = sizeof...(A);
  static constexpr char kDeduced[] = {letter_of<A>()..., '\0'};
  static constexpr FormatCheck kCheck = S::kPrintf ? check_printf(S::format(), S::length(), kDeduced, kCount)
                                                   : check_brace(S::format(), S::length(), kDeduced, kCount);

  static constexpr Letters<kCount> letters() {
    Letters<kCount> out;
    for (std::size_t i = 0; i < kCount && i < kMaxArguments; ++i) out.of[i] = kCheck.types[i];
    if (kCheck.uses_errno) out.of[kCount] = 'E';
    return out;
  }
  static constexpr Letters<kCount> kLetters = letters();

  // The size of a record, or 0 if strings vary it.
  static constexpr std::size_t bytes() {
    std::size_t n = kArgsOffset;
    for (const char* p = kLetters.of; *p != '\0'; ++p) {
      if (is_string(static_cast<ArgType>(*p))) return 0;
      n += fixed_size(static_cast<ArgType>(*p));
    }
    return (n + 7) / 8 * 8;
  }
  static constexpr std::size_t kBytes = bytes();

  static constexpr SiteFacts kFacts = {S::format(), S::file(), S::function(), kLetters.of, S::line(),
                                       static_cast<std::uint16_t>(kBytes / 8), static_cast<Level>(S::kLevelNumber), S::kPrintf, S::kToLogger};

  static constexpr SiteEntry kEntry = {&SiteWord<S>::word, &kFacts, &library};

  // Dynamic initialisation: this is what registers the site before main.
  static inline const std::uint64_t registered = register_site(kEntry);

  // The most units that string argument I may have: a printf precision's business.
  static constexpr bool bounded(std::size_t i) { return kCheck.literal_bound(static_cast<int>(i)) >= 0 || kCheck.bound_argument(static_cast<int>(i)) >= 0; }
  template <std::size_t I>
  STENO_ALWAYS_INLINE static std::size_t bound([[maybe_unused]] const A&... args) {
    if constexpr (kCheck.literal_bound(I) >= 0) {
      return static_cast<std::size_t>(kCheck.literal_bound(I));
    } else if constexpr (kCheck.bound_argument(I) >= 0) {
      const long long precision = integer_at<kCheck.bound_argument(I)>(args...);
      return precision < 0 ? kUnbounded : static_cast<std::size_t>(precision);
    } else {
      return kUnbounded;
    }
  }

 private:
  template <std::size_t I, class First, class... Rest>
  STENO_ALWAYS_INLINE static long long integer_at(const First& first, [[maybe_unused]] const Rest&... rest) {
    if constexpr (I == 0) {
      return static_cast<long long>(wire<kDeduced[kCount - 1 - sizeof...(Rest)], false>(first, kUnbounded).value);
    } else {
      return integer_at<I - 1>(rest...);
    }
  }
};

// Below: the code of a record. It is not inlined into statements but shared by all statements of the same argument types: a
// statement is then a load, a branch, its arguments and a call. That is a third of the code and of the compile time, and the calls are
// no slower; in a burst they are faster.

template <class... W>
inline constexpr bool kAnyStrings = ((std::is_same_v<W, Bytes> || std::is_same_v<W, Terminated>) || ...);
template <class... W>
inline constexpr std::size_t kFixedBytes = (wire_size<W>() + ... + 0);

// A site that is not registered yet: registers it. 0: it is disabled.
STENO_COLD inline std::uint64_t first_word(const SiteEntry& site) {
  const std::uint64_t word = register_site(site);
  return (word & kDisabledBit) != 0 ? 0 : word;
}

// Records above kLargeRecord.
template <class Slot, class... W>
STENO_COLD void write_large(Slot slot, const SiteEntry& site, std::uint64_t word, W... wires) {
  char fixed[kFixedBytes<W...> + 1];
  char* p = fixed;
  (store_fixed(p, wires), ...);
  const Bytes arguments[] = {as_bytes(wires)...};
  log_large(slot.slot, word, site, fixed, kFixedBytes<W...>, arguments);
}

// Opens, fills and closes a record of `bytes`: header, clock, fixed part, payloads.
template <bool kNotifies, class Slot, class... W>
STENO_ALWAYS_INLINE void write_sized(Slot slot, const SiteEntry& site, std::uint64_t word, std::size_t bytes, const W&... wires) {
  OpenRecord record;
  if (STENO_UNLIKELY(!open_record(&record, slot, bytes, site))) return;
  Writer* const w = slot.writer();
  const std::uint64_t now = read_clock(slot);
  char* p = record_data(record, w);
  __builtin_memcpy(p, &word, 8);
  __builtin_memcpy(p + 8, &now, 8);
  p += kArgsOffset;
  (store_fixed(p, wires), ...);
  (store_payload(p, wires), ...);
  close_record(record, w);
  if constexpr (kNotifies) notify_if(w, slot.slot, site.facts->level);
}

template <bool kNotifies, class Slot, class... W>
STENO_ALWAYS_INLINE void write_measured(Slot slot, const SiteEntry& site, std::uint64_t word, const W&... wires) {
  const std::size_t bytes = (kArgsOffset + kFixedBytes<W...> + (payload_size(wires) + ... + 0) + 7) & ~std::size_t{7};
  if (STENO_UNLIKELY(bytes > kLargeRecord)) return write_large(slot, site, word, wires...);
  write_sized<kNotifies>(slot, site, word | static_cast<std::uint64_t>(bytes / 8) << 32, bytes, wires...);
}

// Writes a record of a site whose word was found to be `word`. kNotifies: its level may have to wake the scribe.
template <bool kNotifies, class Slot, class... W>
__attribute__((noinline)) void write_record(Slot slot, const SiteEntry& site, std::uint64_t word, W... wires) {
  if (STENO_UNLIKELY(word == 0)) {
    word = first_word(site);
    if (word == 0) return;
    word = slot.address(word);
  }
  if constexpr (kAnyStrings<W...>) {
    write_measured<kNotifies>(slot, site, word, measured(wires)...);
  } else {
    constexpr std::size_t kBytes = (kArgsOffset + kFixedBytes<W...> + 7) / 8 * 8;
    write_sized<kNotifies>(slot, site, word, kBytes, wires...);
  }
}

template <class St, class Slot, class... A, std::size_t... I>
STENO_ALWAYS_INLINE void capture(Slot slot, std::uint64_t word, std::index_sequence<I...>, const A&... args) {
  constexpr bool kNotifies = St::kFacts.level >= Level::kWarn;
  if constexpr (St::kCheck.uses_errno) {
    write_record<kNotifies>(slot, St::kEntry, word, wire<St::kLetters.of[I], St::bounded(I)>(args, St::template bound<I>(args...))...,
                            Scalar<std::int32_t>{errno_now()});
  } else {
    write_record<kNotifies>(slot, St::kEntry, word, wire<St::kLetters.of[I], St::bounded(I)>(args, St::template bound<I>(args...))...);
  }
}

template <class S, class... A>
constexpr void check(const char*, const A&...) {
  using St = Statement<S, Bare<A>...>;
  report_unloggable<(letter_of<Bare<A>>() != '?')...>();
  report_pointers<S::kPrintf || !(is_typed_pointer<Bare<A>>() || ...)>();
  Report<St::kCheck.error, St::kCheck.argument, St::kCheck.where>::check();
}

// The statement's body once its site is known to be enabled, or not yet registered (word 0).
template <class S, class Slot, class... A>
STENO_ALWAYS_INLINE void log(Slot slot, std::int64_t word, const char* format, const A&... args) {
  using St = Statement<S, Bare<A>...>;
  check<S>(format, args...);
  static_cast<void>(&St::registered);
  capture<St>(slot, slot.address(static_cast<std::uint64_t>(word)), std::make_index_sequence<sizeof...(A)>(), args...);
}

}  // namespace steno::detail

#define STENO_DETAIL_BRACE false
#define STENO_DETAIL_PRINTF true
#define STENO_DETAIL_FIRST(...) STENO_DETAIL_FIRST_OF(__VA_ARGS__, 0)
#define STENO_DETAIL_FIRST_OF(first, ...) first

// "" around the format: it must be a literal.
#define STENO_DETAIL_SITE(printf, level, to_logger, ...)                                              \
  static constexpr const char* steno_function_ = __func__;                                            \
  struct StenoSite {                                                                                  \
    static constexpr const char* format() { return "" STENO_DETAIL_FIRST(__VA_ARGS__) ""; }           \
    static constexpr ::std::size_t length() { return sizeof("" STENO_DETAIL_FIRST(__VA_ARGS__) "") - 1; } \
    static constexpr const char* file() { return __FILE__; }                                          \
    static constexpr const char* function() { return steno_function_; }                               \
    static constexpr ::std::uint32_t line() { return __LINE__; }                                      \
    enum : bool { kPrintf = printf, kToLogger = to_logger };                                          \
    enum : ::std::uint8_t { kLevelNumber = static_cast<::std::uint8_t>(level) };                      \
  }

#define STENO_DETAIL_LOG(printf, level, ...)                                                          \
  do {                                                                                                \
    STENO_DETAIL_SITE(printf, level, false, __VA_ARGS__);                                             \
    if constexpr (::steno::detail::compiled_in(level, STENO_MIN_LEVEL)) {                             \
      const ::std::int64_t steno_word_ = ::steno::detail::load_word<StenoSite>();                     \
      if (STENO_LIKELY(steno_word_ >= 0)) ::steno::detail::log<StenoSite>(::steno::detail::DefaultSlot(), steno_word_, __VA_ARGS__); \
    } else {                                                                                          \
      if (false) ::steno::detail::check<StenoSite>(__VA_ARGS__);                                      \
    }                                                                                                 \
  } while (false)

#define STENO_DETAIL_LOG_TO(printf, logger, level, ...)                                               \
  do {                                                                                                \
    STENO_DETAIL_SITE(printf, level, true, __VA_ARGS__);                                              \
    if constexpr (::steno::detail::compiled_in(level, STENO_MIN_LEVEL)) {                             \
      const ::steno::Logger steno_logger_ = (logger);                                                 \
      const ::std::int64_t steno_word_ = ::steno::detail::load_word<StenoSite>();                     \
      if (STENO_LIKELY(steno_word_ >= 0) && steno_logger_.enabled(level))                             \
        ::steno::detail::log<StenoSite>(::steno::detail::LoggerSlot(*steno_logger_.state()), steno_word_, __VA_ARGS__); \
    } else {                                                                                          \
      if (false) ::steno::detail::check<StenoSite>(__VA_ARGS__);                                      \
    }                                                                                                 \
  } while (false)
