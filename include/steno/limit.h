// Statements with a limit: each logs only some of its calls.
//
//   STENO_LOG_EVERY_N(WARN, 1000, "queue {name} is full", name);     // the first of each 1,000 calls
//   STENO_LOG_EVERY(WARN, 100ms, "slow: {ms}", ms);                  // at most one in that time (std::chrono)
//   STENO_LOG_AT_RATE(INFO, 50, 10, "request {id}", id);             // at most 50 a second, and 10 at once
//   STENO_LOG_FIRST_N(ERROR, 5, "no route to {host}", host);         // the first five calls
//   STENO_LOG_ONCE(NOTICE, "{option} is deprecated", option);        // the first
//
// Level and format are those of STENO_LOG; STENO_LOGF_EVERY_N and so on take printf syntax,
// STENO_LOG_TO_EVERY_N(logger, WARN, …) and STENO_LOGF_TO_EVERY_N log to a steno::Logger.
//
// Each statement (and each instance of a template) has its own limit, shared by all threads. Only enabled calls count:
// a disabled statement costs the same as without a limit, and starts to count when it is enabled. Arguments of
// suppressed calls are not evaluated. If calls were suppressed since the last record of the statement, its next record
// is followed by another one of the same level and place: "{suppressed} calls before this one were suppressed". (Not
// for FIRST_N and ONCE, which log nothing after their last record.) The numbers are exact for EVERY_N; for the others,
// a simultaneous call of another thread may be counted in the next record.
//
// Thread-safe, lock-free. Cost of a suppressed call: for EVERY_N an atomic addition; for EVERY and AT_RATE a read of
// the system clock (about 20 ns) and at most two atomic operations; for FIRST_N and ONCE a load.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "steno/detail/config.h"
#include "steno/log.h"

namespace steno::detail {

// The state of one statement's limit. Zero-initialised, so that it works before static constructors run.
struct LimitState {
  std::atomic<std::uint64_t> calls;  // for limits by time: suppressed calls
  std::atomic<std::int64_t> next;    // monotonic time in ns; 0: not logged yet
};

template <class S>
struct STENO_HIDDEN Limit {
  static inline LimitState state = {};
};

inline std::int64_t limit_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t seconds = now.tv_sec;
  return seconds * 1'000'000'000 + now.tv_nsec;
}

// Each function returns whether this call is logged, and sets how many calls were suppressed since the last logged one.
inline bool every_n(LimitState& state, std::uint64_t n, std::uint64_t* suppressed) {
  const std::uint64_t call = state.calls.fetch_add(1, std::memory_order_relaxed);
  if (n > 1 && call % n != 0) return false;
  *suppressed = n > 1 && call != 0 ? n - 1 : 0;
  return true;
}

inline bool first_n(LimitState& state, std::uint64_t n, std::uint64_t*) {
  return state.calls.load(std::memory_order_relaxed) < n && state.calls.fetch_add(1, std::memory_order_relaxed) < n;
}

// A token bucket of `burst` tokens, refilled by one token per interval, kept as one number: the time when it is full
// again (the "generic cell rate algorithm" of ITU-T I.371).
inline bool at_intervals(LimitState& state, std::int64_t interval, std::int64_t burst, std::uint64_t* suppressed) {
  const std::int64_t now = limit_clock();
  std::int64_t full = state.next.load(std::memory_order_relaxed);
  std::int64_t after = 0;
  do {
    if (full - now > (burst - 1) * interval) {
      state.calls.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    after = (full > now ? full : now) + interval;
  } while (!state.next.compare_exchange_weak(full, after, std::memory_order_relaxed));
  *suppressed = state.calls.exchange(0, std::memory_order_relaxed);
  return true;
}

// Clamps intervals and bursts so that their product fits into a time of at most about a century.
inline std::int64_t within(double value, double most) {
  return value < 1 ? 1 : static_cast<std::int64_t>(value < most ? value : most);
}

template <class Rep, class Period>
bool every(LimitState& state, std::chrono::duration<Rep, Period> time, std::uint64_t* suppressed) {
  const double ns = std::chrono::duration<double, std::nano>(time).count();
  return at_intervals(state, within(ns, 3e18), 1, suppressed);
}

inline bool at_rate(LimitState& state, double per_second, double burst, std::uint64_t* suppressed) {
  const std::int64_t interval = within(per_second > 0 ? 1e9 / per_second : 3e18, 3e18);
  return at_intervals(state, interval, within(burst, 3e18 / static_cast<double>(interval)), suppressed);
}

}  // namespace steno::detail

#define STENO_DETAIL_LIMIT(limit, ...) \
  ::steno::detail::limit(::steno::detail::Limit<StenoSite>::state, __VA_ARGS__, &steno_suppressed_)
#define STENO_DETAIL_SUPPRESSED "{suppressed} calls before this one were suppressed"

#define STENO_DETAIL_LIMITED(printf, level, gate, ...)                                          \
  do {                                                                                          \
    ::std::uint64_t steno_suppressed_ = 0;                                                      \
    STENO_DETAIL_LOG_IF(printf, #level, gate, __VA_ARGS__);                                     \
    if (steno_suppressed_ != 0)                                                                 \
      STENO_DETAIL_LOG(STENO_DETAIL_BRACE, #level, STENO_DETAIL_SUPPRESSED, steno_suppressed_); \
  } while (false)
#define STENO_DETAIL_LIMITED_TO(printf, logger, level, gate, ...)                                                  \
  do {                                                                                                             \
    ::steno::Logger steno_limited_;                                                                                \
    ::std::uint64_t steno_suppressed_ = 0;                                                                         \
    STENO_DETAIL_LOG_TO_IF(printf, logger, #level, (steno_limited_ = steno_logger_, gate), __VA_ARGS__);           \
    if (steno_suppressed_ != 0)                                                                                    \
      STENO_DETAIL_LOG_TO(STENO_DETAIL_BRACE, steno_limited_, #level, STENO_DETAIL_SUPPRESSED, steno_suppressed_); \
  } while (false)

// The first of each `n` calls.
#define STENO_LOG_EVERY_N(level, n, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_BRACE, level, STENO_DETAIL_LIMIT(every_n, n), __VA_ARGS__)
#define STENO_LOGF_EVERY_N(level, n, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_PRINTF, level, STENO_DETAIL_LIMIT(every_n, n), __VA_ARGS__)
#define STENO_LOG_TO_EVERY_N(logger, level, n, ...) \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_BRACE, logger, level, STENO_DETAIL_LIMIT(every_n, n), __VA_ARGS__)
#define STENO_LOGF_TO_EVERY_N(logger, level, n, ...) \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_PRINTF, logger, level, STENO_DETAIL_LIMIT(every_n, n), __VA_ARGS__)

// At most one in `time`, a std::chrono::duration.
#define STENO_LOG_EVERY(level, time, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_BRACE, level, STENO_DETAIL_LIMIT(every, time), __VA_ARGS__)
#define STENO_LOGF_EVERY(level, time, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_PRINTF, level, STENO_DETAIL_LIMIT(every, time), __VA_ARGS__)
#define STENO_LOG_TO_EVERY(logger, level, time, ...) \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_BRACE, logger, level, STENO_DETAIL_LIMIT(every, time), __VA_ARGS__)
#define STENO_LOGF_TO_EVERY(logger, level, time, ...) \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_PRINTF, logger, level, STENO_DETAIL_LIMIT(every, time), __VA_ARGS__)

// At most `per_second` calls per second, and `burst` at once.
#define STENO_LOG_AT_RATE(level, per_second, burst, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_BRACE, level, STENO_DETAIL_LIMIT(at_rate, per_second, burst), __VA_ARGS__)
#define STENO_LOGF_AT_RATE(level, per_second, burst, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_PRINTF, level, STENO_DETAIL_LIMIT(at_rate, per_second, burst), __VA_ARGS__)
#define STENO_LOG_TO_AT_RATE(logger, level, per_second, burst, ...)                                          \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_BRACE, logger, level, STENO_DETAIL_LIMIT(at_rate, per_second, burst), \
                          __VA_ARGS__)
#define STENO_LOGF_TO_AT_RATE(logger, level, per_second, burst, ...)                                          \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_PRINTF, logger, level, STENO_DETAIL_LIMIT(at_rate, per_second, burst), \
                          __VA_ARGS__)

// The first `n` calls.
#define STENO_LOG_FIRST_N(level, n, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_BRACE, level, STENO_DETAIL_LIMIT(first_n, n), __VA_ARGS__)
#define STENO_LOGF_FIRST_N(level, n, ...) \
  STENO_DETAIL_LIMITED(STENO_DETAIL_PRINTF, level, STENO_DETAIL_LIMIT(first_n, n), __VA_ARGS__)
#define STENO_LOG_TO_FIRST_N(logger, level, n, ...) \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_BRACE, logger, level, STENO_DETAIL_LIMIT(first_n, n), __VA_ARGS__)
#define STENO_LOGF_TO_FIRST_N(logger, level, n, ...) \
  STENO_DETAIL_LIMITED_TO(STENO_DETAIL_PRINTF, logger, level, STENO_DETAIL_LIMIT(first_n, n), __VA_ARGS__)

// The first call.
#define STENO_LOG_ONCE(level, ...) STENO_LOG_FIRST_N(level, 1, __VA_ARGS__)
#define STENO_LOGF_ONCE(level, ...) STENO_LOGF_FIRST_N(level, 1, __VA_ARGS__)
#define STENO_LOG_TO_ONCE(logger, level, ...) STENO_LOG_TO_FIRST_N(logger, level, 1, __VA_ARGS__)
#define STENO_LOGF_TO_ONCE(logger, level, ...) STENO_LOGF_TO_FIRST_N(logger, level, 1, __VA_ARGS__)
