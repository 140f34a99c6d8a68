// Assertions that log: if a condition does not hold, a record with an optional message is logged and the program
// aborts.
//
//   STENO_CHECK(descriptor >= 0);
//   STENO_CHECK(used <= size, "{used} of {size} bytes in {name}", used, size, name);
//   STENO_CHECKF(used <= size, "%zu of %zu bytes", used, size);      // printf syntax
//   STENO_DCHECK(…), STENO_DCHECKF(…)                                // not evaluated where NDEBUG is defined
//
// The record is CRITICAL, "check failed: used <= size: 17 of 16 bytes in queue", with the place of the statement; the
// condition is a column of the log. Like all records it survives the process. The condition is also written to stderr,
// because nobody may be reading the log; then std::abort() is called. A condition with a comma outside of parentheses
// must be put in parentheses.
//
// Thread-safe. In signal handlers like statements of <steno/log.h>. The condition is evaluated once, the arguments only
// if it is false. Cost: that of the condition.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "steno/detail/config.h"
#include "steno/log.h"

namespace steno::detail {

// The first of the arguments that `spelled` lists as they stand in the source: up to a comma outside of parentheses.
inline std::string_view first_argument(std::string_view spelled) {
  int depth = 0;
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    const char c = spelled[i];
    if (c == '"' || (c == '\'' && !(i > 0 && spelled[i - 1] >= '0' && spelled[i - 1] <= '9'))) {  // but the ' of 1'000
      for (++i; i < spelled.size() && spelled[i] != c; ++i) i += spelled[i] == '\\' ? std::size_t{1} : std::size_t{0};
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      return spelled.substr(0, i);
    }
  }
  return spelled;
}

[[noreturn]] STENO_COLD inline void check_failed(const char* file, int line, std::string_view condition) {
  std::fprintf(stderr, "%s:%d: check failed: %.*s\n", file, line, static_cast<int>(condition.size()), condition.data());
  std::abort();
}

}  // namespace steno::detail

// Chooses by what follows the condition: nothing, a format, or a format and arguments.
#define STENO_DETAIL_CHECK(syntax, spelled, ...) \
  STENO_DETAIL_CHECK_AS(STENO_DETAIL_CHECK_KIND(__VA_ARGS__), syntax, spelled, __VA_ARGS__)
#define STENO_DETAIL_CHECK_AS(kind, ...) STENO_DETAIL_CHECK_OF(kind, __VA_ARGS__)
#define STENO_DETAIL_CHECK_OF(kind, ...) STENO_DETAIL_CHECK_##kind(__VA_ARGS__)
#define STENO_DETAIL_CHECK_KIND(...)                                                                                \
  STENO_DETAIL_CHECK_PICK(__VA_ARGS__, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, \
                          ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS,   \
                          ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS,   \
                          ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS, ARGUMENTS,   \
                          ARGUMENTS, FORMAT, ALONE, 0)
#define STENO_DETAIL_CHECK_PICK(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18,  \
                                _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, kind, ...) \
  kind
#define STENO_DETAIL_CHECK_ALONE(syntax, spelled, condition) \
  STENO_DETAIL_CHECK_THAT(BRACE, spelled, condition, "check failed: {condition}", steno_condition_)
#define STENO_DETAIL_CHECK_FORMAT(syntax, spelled, condition, format) \
  STENO_DETAIL_CHECK_THAT(syntax, spelled, condition, STENO_DETAIL_CHECK_BEGIN_##syntax format, steno_condition_)
#define STENO_DETAIL_CHECK_ARGUMENTS(syntax, spelled, condition, format, ...)                                     \
  STENO_DETAIL_CHECK_THAT(syntax, spelled, condition, STENO_DETAIL_CHECK_BEGIN_##syntax format, steno_condition_, \
                          __VA_ARGS__)
#define STENO_DETAIL_CHECK_BEGIN_BRACE "check failed: {condition}: "
#define STENO_DETAIL_CHECK_BEGIN_PRINTF "check failed: %s: "
#define STENO_DETAIL_CHECK_THAT(syntax, spelled, condition, ...)                            \
  do {                                                                                      \
    if (STENO_UNLIKELY(!(condition))) {                                                     \
      const ::std::string_view steno_condition_ = ::steno::detail::first_argument(spelled); \
      STENO_DETAIL_LOG(STENO_DETAIL_##syntax, "CRITICAL", __VA_ARGS__);                     \
      ::steno::detail::check_failed(__FILE__, __LINE__, steno_condition_);                  \
    }                                                                                       \
  } while (false)

// Logs and aborts the process if the condition (the first argument) is false. The message is in brace syntax; with F in
// printf syntax.
#define STENO_CHECK(...) STENO_DETAIL_CHECK(BRACE, #__VA_ARGS__, __VA_ARGS__)
#define STENO_CHECKF(...) STENO_DETAIL_CHECK(PRINTF, #__VA_ARGS__, __VA_ARGS__)

#ifdef NDEBUG
#define STENO_DETAIL_DCHECK(check) \
  do {                             \
    if (false) check;              \
  } while (false)
// These do what STENO_CHECK and STENO_CHECKF do; with NDEBUG they are compiled but not evaluated.
#define STENO_DCHECK(...) STENO_DETAIL_DCHECK(STENO_CHECK(__VA_ARGS__))
#define STENO_DCHECKF(...) STENO_DETAIL_DCHECK(STENO_CHECKF(__VA_ARGS__))
#else
// These do what STENO_CHECK and STENO_CHECKF do; with NDEBUG they are compiled but not evaluated.
#define STENO_DCHECK(...) STENO_DETAIL_CHECK(BRACE, #__VA_ARGS__, __VA_ARGS__)
#define STENO_DCHECKF(...) STENO_DETAIL_CHECK(PRINTF, #__VA_ARGS__, __VA_ARGS__)
#endif
