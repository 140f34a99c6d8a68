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
STENO_EXPORT STENO_COLD void log_large(std::uint32_t slot, std::uint64_t word, Level level, const char* fixed,
                                       std::size_t fixed_size, const char* types, const Bytes* arguments) noexcept;

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

  static constexpr bool has_strings() {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (is_string(static_cast<ArgType>(kLetters.of[i]))) return true;
    }
    return false;
  }
  static constexpr std::size_t fixed_bytes() {
    std::size_t n = 0;
    for (const char* p = kLetters.of; *p != '\0'; ++p) n += fixed_size(static_cast<ArgType>(*p));
    return n;
  }
  static constexpr bool kHasStrings = has_strings();
  static constexpr std::size_t kFixedBytes = fixed_bytes();
  static constexpr std::size_t kBytes = (kArgsOffset + kFixedBytes + 7) / 8 * 8;  // without payloads

  static constexpr SiteFacts kFacts = {S::format(), S::file(), S::function(), kLetters.of, S::line(),
                                       static_cast<std::uint16_t>(kHasStrings ? 0 : kBytes / 8),
                                       static_cast<Level>(S::kLevelNumber), S::kPrintf, S::kToLogger};

  // Dynamic initialisation: this is what registers the site before main.
  static inline const std::uint64_t registered = register_site(&SiteWord<S>::word, kFacts, &library);

  // The most units that string argument I may have: a printf precision's business.
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
      return static_cast<long long>(wire<kDeduced[kCount - 1 - sizeof...(Rest)]>(first, kUnbounded).value);
    } else {
      return integer_at<I - 1>(rest...);
    }
  }
};

template <class St, class... W>
STENO_COLD void commit_large(std::uint32_t slot, std::uint64_t word, Level level, const W&... wires) {
  char fixed[St::kFixedBytes + 1];
  char* p = fixed;
  (store_fixed(p, wires), ...);
  const Bytes arguments[] = {as_bytes(wires)...};
  log_large(slot, word, level, fixed, St::kFixedBytes, St::kLetters.of, arguments);
}

// Writes the record: header, clock, fixed part, payloads.
template <class St, class Slot, class... W>
STENO_ALWAYS_INLINE void commit(Slot slot, std::uint64_t word, Level level, const W&... wires) {
  std::size_t bytes = St::kBytes;
  if constexpr (St::kHasStrings) {
    bytes = (kArgsOffset + St::kFixedBytes + (payload_size(wires) + ... + 0) + 7) & ~std::size_t{7};
    if (STENO_UNLIKELY(bytes > kLargeRecord)) return commit_large<St>(slot.slot, word, level, wires...);
    word |= static_cast<std::uint64_t>(bytes / 8) << 32;
  }
  OpenRecord record;
  if (STENO_UNLIKELY(!open_record(&record, slot, bytes, level))) return;
  Writer* const w = slot.writer();
  const std::uint64_t now = read_clock(slot);
  char* p = record_data(record, w);
  __builtin_memcpy(p, &word, 8);
  __builtin_memcpy(p + 8, &now, 8);
  p += kArgsOffset;
  (store_fixed(p, wires), ...);
  (store_payload(p, wires), ...);
  close_record(record, w);
  if (level >= Level::kWarn) notify_if(w, slot.slot, level);
}

template <class St, class Slot, class... A, std::size_t... I>
STENO_ALWAYS_INLINE void capture(Slot slot, std::uint64_t word, Level level, std::index_sequence<I...>, const A&... args) {
  if constexpr (St::kCheck.uses_errno) {
    const Scalar<std::int32_t> error{errno_now()};
    commit<St>(slot, word, level, wire<St::kLetters.of[I]>(args, St::template bound<I>(args...))..., error);
  } else {
    commit<St>(slot, word, level, wire<St::kLetters.of[I]>(args, St::template bound<I>(args...))...);
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
template <class S, class... A>
STENO_ALWAYS_INLINE void log(std::int64_t word, const char* format, const A&... args) {
  using St = Statement<S, Bare<A>...>;
  check<S>(format, args...);
  static_cast<void>(&St::registered);
  auto bits = static_cast<std::uint64_t>(word);
  if (STENO_UNLIKELY(bits == 0)) {
    bits = register_site(&SiteWord<S>::word, St::kFacts, &library);
    if ((bits & kDisabledBit) != 0) return;
  }
  capture<St>(DefaultSlot{}, bits, static_cast<Level>(S::kLevelNumber), std::make_index_sequence<sizeof...(A)>(), args...);
}

template <class S, class... A>
STENO_ALWAYS_INLINE void log_to(const LoggerState* logger, std::int64_t word, const char* format, const A&... args) {
  using St = Statement<S, Bare<A>...>;
  check<S>(format, args...);
  static_cast<void>(&St::registered);
  auto bits = static_cast<std::uint64_t>(word);
  if (STENO_UNLIKELY(bits == 0)) {
    bits = register_site(&SiteWord<S>::word, St::kFacts, &library);
    if ((bits & kDisabledBit) != 0) return;
  }
  bits |= static_cast<std::uint64_t>(logger->id) << 48;
  capture<St>(AnySlot{logger->slot}, bits, static_cast<Level>(S::kLevelNumber), std::make_index_sequence<sizeof...(A)>(), args...);
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
      if (STENO_LIKELY(steno_word_ >= 0)) ::steno::detail::log<StenoSite>(steno_word_, __VA_ARGS__);  \
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
        ::steno::detail::log_to<StenoSite>(steno_logger_.state(), steno_word_, __VA_ARGS__);          \
    } else {                                                                                          \
      if (false) ::steno::detail::check<StenoSite>(__VA_ARGS__);                                      \
    }                                                                                                 \
  } while (false)
