// The parts that the macros of quill/macros.h are made of.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "steno/detail/c_macros.h"
#include "steno/quill/logger.h"
#include "steno/quill/options.h"

namespace quill::detail {

constexpr std::size_t length_of(const char* text) {
  return steno::detail::length_of(text);
}

// The state of one statement in one thread.
struct Limit {
  std::chrono::steady_clock::time_point next{};
  std::uint64_t calls = 0;

  // How often it came since it was logged last; 0: it is not to be logged now.
  template <class Duration>
  std::uint64_t occurred(Duration interval) {
    ++calls;
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return 0;
    next = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(interval);
    return std::exchange(calls, 0);
  }
  bool is_nth(std::uint64_t n) { return calls++ % n == 0; }
};

}  // namespace quill::detail

// A statement, in a scope of its own. `text`: its format; (...): the format as the program has it, and the arguments.
#define STENO_DETAIL_QUILL_WRITE(logger, level, text, ...)                           \
  constexpr const char* steno_function_ = __func__;                                  \
  struct StenoSite {                                                                 \
    static constexpr ::steno::detail::StatementText steno_text() {                   \
      return {text,     ::quill::detail::length_of(text), __FILE__, steno_function_, \
              __LINE__, ::quill::detail::level_of(level), false,    true};           \
    }                                                                                \
  };                                                                                 \
  (logger)->template write<StenoSite>(__VA_ARGS__)

// Those that the macros choose from. `text`: which macro makes the format of (...).
#define STENO_DETAIL_QUILL_LOG(text, level, logger, ...)                                                  \
  do {                                                                                                    \
    auto&& steno_quill_ = (logger);                                                                       \
    if (steno_quill_->template should_log_statement<level>()) {                                           \
      STENO_DETAIL_QUILL_WRITE(steno_quill_, level, STENO_DETAIL_QUILL_##text(__VA_ARGS__), __VA_ARGS__); \
    }                                                                                                     \
  } while (false)
#define STENO_DETAIL_QUILL_TAGGED(text, level, logger, tags, ...)                                              \
  do {                                                                                                         \
    auto&& steno_quill_ = (logger);                                                                            \
    if (steno_quill_->template should_log_statement<level>()) {                                                \
      STENO_DETAIL_QUILL_WRITE(steno_quill_, level, tags STENO_DETAIL_QUILL_##text(__VA_ARGS__), __VA_ARGS__); \
    }                                                                                                          \
  } while (false)
#define STENO_DETAIL_QUILL_LIMIT(text, level, interval, logger, ...)                                           \
  do {                                                                                                         \
    auto&& steno_quill_ = (logger);                                                                            \
    if (steno_quill_->template should_log_statement<level>()) {                                                \
      thread_local ::quill::detail::Limit steno_limit_;                                                        \
      const ::std::uint64_t steno_occurred_ = steno_limit_.occurred(interval);                                 \
      if (steno_occurred_ != 0) {                                                                              \
        STENO_DETAIL_QUILL_WRITE(steno_quill_, level, STENO_DETAIL_QUILL_##text(__VA_ARGS__) " ({occurred}x)", \
                                 __VA_ARGS__, steno_occurred_);                                                \
      }                                                                                                        \
    }                                                                                                          \
  } while (false)
#define STENO_DETAIL_QUILL_EVERY_N(text, level, n, logger, ...)                                             \
  do {                                                                                                      \
    auto&& steno_quill_ = (logger);                                                                         \
    if (steno_quill_->template should_log_statement<level>()) {                                             \
      thread_local ::quill::detail::Limit steno_limit_;                                                     \
      if (steno_limit_.is_nth(n)) {                                                                         \
        STENO_DETAIL_QUILL_WRITE(steno_quill_, level, STENO_DETAIL_QUILL_##text(__VA_ARGS__), __VA_ARGS__); \
      }                                                                                                     \
    }                                                                                                       \
  } while (false)

// The formats that the three kinds of statements make of (format, arguments…).
#define STENO_DETAIL_QUILL_TEXT(...) STENO_DETAIL_FORMAT(__VA_ARGS__)
#define STENO_DETAIL_QUILL_SOME(...) \
  STENO_DETAIL_CAT(STENO_DETAIL_QUILL_SOME_, STENO_DETAIL_ARGUMENT_COUNT(__VA_ARGS__))
#define STENO_DETAIL_QUILL_V(...) \
  STENO_DETAIL_CAT(STENO_DETAIL_QUILL_V_, STENO_DETAIL_QUILL_SOME(__VA_ARGS__))(__VA_ARGS__)
#define STENO_DETAIL_QUILL_V_0(text) text
#define STENO_DETAIL_QUILL_V_1(text, ...) \
  text " [" STENO_DETAIL_QUILL_FIRST_V(__VA_ARGS__, ) STENO_DETAIL_EACH(STENO_DETAIL_QUILL_NEXT_V, __VA_ARGS__) "]"
#define STENO_DETAIL_QUILL_FIRST_V(first, ...) #first ": {}"
#define STENO_DETAIL_QUILL_NEXT_V(n, next) ", " #next ": {}"
#define STENO_DETAIL_QUILL_J(...) \
  STENO_DETAIL_CAT(STENO_DETAIL_QUILL_J_, STENO_DETAIL_QUILL_SOME(__VA_ARGS__))(__VA_ARGS__)
#define STENO_DETAIL_QUILL_J_0(text) text
#define STENO_DETAIL_QUILL_J_1(text, ...) \
  text " " STENO_DETAIL_QUILL_FIRST_J(__VA_ARGS__, ) STENO_DETAIL_EACH(STENO_DETAIL_QUILL_NEXT_J, __VA_ARGS__)
#define STENO_DETAIL_QUILL_FIRST_J(first, ...) "{" #first "}"
#define STENO_DETAIL_QUILL_NEXT_J(n, next) ", {" #next "}"
#define STENO_DETAIL_QUILL_SOME_0 0
#define STENO_DETAIL_QUILL_SOME_1 1
#define STENO_DETAIL_QUILL_SOME_2 1
#define STENO_DETAIL_QUILL_SOME_3 1
#define STENO_DETAIL_QUILL_SOME_4 1
#define STENO_DETAIL_QUILL_SOME_5 1
#define STENO_DETAIL_QUILL_SOME_6 1
#define STENO_DETAIL_QUILL_SOME_7 1
#define STENO_DETAIL_QUILL_SOME_8 1
#define STENO_DETAIL_QUILL_SOME_9 1
#define STENO_DETAIL_QUILL_SOME_10 1
#define STENO_DETAIL_QUILL_SOME_11 1
#define STENO_DETAIL_QUILL_SOME_12 1
#define STENO_DETAIL_QUILL_SOME_13 1
#define STENO_DETAIL_QUILL_SOME_14 1
#define STENO_DETAIL_QUILL_SOME_15 1
#define STENO_DETAIL_QUILL_SOME_16 1
#define STENO_DETAIL_QUILL_SOME_17 1
#define STENO_DETAIL_QUILL_SOME_18 1
#define STENO_DETAIL_QUILL_SOME_19 1
#define STENO_DETAIL_QUILL_SOME_20 1
#define STENO_DETAIL_QUILL_SOME_21 1
#define STENO_DETAIL_QUILL_SOME_22 1
#define STENO_DETAIL_QUILL_SOME_23 1
#define STENO_DETAIL_QUILL_SOME_24 1
#define STENO_DETAIL_QUILL_SOME_25 1
#define STENO_DETAIL_QUILL_SOME_26 1
#define STENO_DETAIL_QUILL_SOME_27 1
#define STENO_DETAIL_QUILL_SOME_28 1
#define STENO_DETAIL_QUILL_SOME_29 1
#define STENO_DETAIL_QUILL_SOME_30 1
#define STENO_DETAIL_QUILL_SOME_31 1
#define STENO_DETAIL_QUILL_SOME_32 1
