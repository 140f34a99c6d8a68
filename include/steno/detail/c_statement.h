// The expansion of a log statement in C (c.h).
//
// A statement has a static site, which a section lists: the program registers it before main, and a library when it is
// loaded, as statements in C++ do. A call loads its word, takes its arguments, and stores them into the ring, inline; a
// string alone is stored by a function that all statements of a file share (c_string.h), others are measured and copied
// by functions. What is rare goes the long way, which begins anew and is called last, so that no register is saved for
// it. No C++ here: <steno/log.h> has the same macros for it.
#pragma once

#ifndef __cplusplus

#include "steno/detail/c_macros.h"
#include "steno/detail/c_record.h"
#include "steno/detail/c_string.h"
#include "steno/detail/c_values.h"

// Bits of a statement's word: it is disabled; it has to go the long way, as also one does that is not registered (0).
#define STENO_DETAIL_IS_ENABLED(word) (((word) >> 63) == 0)
#define STENO_DETAIL_IS_SHORT(word) ((((word)-1) >> 62) == 0)

// Never called: the compiler checks the arguments of a printf format by it.
__attribute__((__format__(__printf__, 1, 2), __unused__)) static inline void steno_detail_check_printf(
    const char* format, ...) {
  (void)format;
}

// The statements of this program or library, and the names of its ends that the linker makes; none where it has none.
extern const struct steno_detail_site* const __start_steno_sites[] __attribute__((weak, visibility("hidden")));
extern const struct steno_detail_site* const __stop_steno_sites[] __attribute__((weak, visibility("hidden")));
// How many translation units of it are initialised. Its address names the library.
extern unsigned steno_detail_library;
__attribute__((weak, visibility("hidden"))) unsigned steno_detail_library = 0;

__attribute__((constructor)) static void steno_detail_begin_unit(void) {
  if (steno_detail_library++ == 0 && __start_steno_sites != NULL) {
    steno_detail_register(__start_steno_sites, __stop_steno_sites);
  }
}
__attribute__((destructor)) static void steno_detail_end_unit(void) {
  if (--steno_detail_library == 0) steno_detail_withdraw(&steno_detail_library);
}

// The parts of a statement that each argument has. An argument's value loses its qualifiers, and an array becomes a
// pointer, after a comma; and so does a bit-field become a number, where the compiler knows how.
#define STENO_DETAIL_TAKE_steno_printf(n, a) __extension__ __auto_type steno_argument_##n = ((void)0, (a));
#define STENO_DETAIL_TAKE_steno_brace(n, a) __extension__ __auto_type steno_argument_##n = STENO_DETAIL_BRACE_VALUE(a);
#define STENO_DETAIL_PRINTF_LETTER(n, a) STENO_DETAIL_LETTER(steno_argument_##n, 'W'),
#define STENO_DETAIL_BRACE_LETTER(n, a) STENO_DETAIL_LETTER(steno_argument_##n, 'p'),
#define STENO_DETAIL_MARK(n, a) STENO_DETAIL_MARK_OF(steno_argument_##n),
#define STENO_DETAIL_OR_MARK(n, a) || STENO_DETAIL_MARK_OF(steno_argument_##n) != '-'
#define STENO_DETAIL_OR_SECRET(n, a) || STENO_DETAIL_IS_SECRET(steno_argument_##n)
#define STENO_DETAIL_FIXED_SIZE(n, a) +(STENO_DETAIL_IS_STRING(steno_argument_##n) ? 4 : sizeof(steno_argument_##n))
#define STENO_DETAIL_OR_STRING(n, a) || STENO_DETAIL_IS_STRING(steno_argument_##n)
#define STENO_DETAIL_DECLARE_STRING(n, a) struct steno_detail_bytes steno_string_##n = {NULL, 0};
#define STENO_DETAIL_MEASURE(n, a)                                                     \
  if (STENO_DETAIL_IS_STRING(steno_argument_##n)) {                                    \
    steno_string_##n = steno_detail_measured(STENO_DETAIL_STRING(steno_argument_##n)); \
    steno_bytes_ += steno_detail_payload(steno_string_##n);                            \
  }
#define STENO_DETAIL_STORE(n, a)                                                                                \
  steno_to_ = STENO_DETAIL_IS_STRING(steno_argument_##n) ? steno_detail_put_length(steno_to_, steno_string_##n) \
                                                         : STENO_DETAIL_PUT_NUMBER(steno_to_, steno_argument_##n);
#define STENO_DETAIL_STORE_STRING(n, a)                                                     \
  if (STENO_DETAIL_IS_STRING(steno_argument_##n)) {                                         \
    steno_to_ = steno_detail_copy(steno_to_, steno_string_##n.data, steno_string_##n.size); \
  }
// The arguments of a statement count down to 1: what stands for the last one alone is compiled once.
#define STENO_DETAIL_LOG_STRING(n, a) STENO_DETAIL_SECOND(STENO_DETAIL_IF_LAST_##n, STENO_DETAIL_NOTHING, 0)(n, a)
#define STENO_DETAIL_IF_LAST_1 0, STENO_DETAIL_LOG_LAST_STRING
#define STENO_DETAIL_SECOND(...) STENO_DETAIL_SECOND_OF(__VA_ARGS__)
#define STENO_DETAIL_SECOND_OF(a, b, ...) b
#define STENO_DETAIL_NOTHING(n, a)
#define STENO_DETAIL_LOG_LAST_STRING(n, a)                                                     \
  steno_accepted_ = steno_logger_ != NULL                                                      \
                        ? steno_detail_log_string_to(&steno_site_, steno_logger_, steno_word_, \
                                                     STENO_DETAIL_STRING(steno_argument_##n))  \
                        : steno_detail_log_string(&steno_site_, steno_word_, STENO_DETAIL_STRING(steno_argument_##n));
#define STENO_DETAIL_VALUE(n, a)                                                \
  if (STENO_DETAIL_IS_STRING(steno_argument_##n)) {                             \
    steno_value_->of.string = STENO_DETAIL_STRING(steno_argument_##n);          \
  } else {                                                                      \
    (void)STENO_DETAIL_PUT_NUMBER(steno_value_->of.number, steno_argument_##n); \
  }                                                                             \
  ++steno_value_;
#define STENO_DETAIL_PASS(n, a) , steno_argument_##n

#define STENO_DETAIL_CHECK_steno_printf(...) \
  if (0)                                     \
  steno_detail_check_printf("" STENO_DETAIL_FORMAT(__VA_ARGS__) "" STENO_DETAIL_EACH(STENO_DETAIL_PASS, __VA_ARGS__))
#define STENO_DETAIL_CHECK_steno_brace(...) (void)0
#define STENO_DETAIL_STYLE_steno_printf 1
#define STENO_DETAIL_STYLE_steno_brace 0
#define STENO_DETAIL_LETTERS_steno_printf(...) STENO_DETAIL_EACH(STENO_DETAIL_PRINTF_LETTER, __VA_ARGS__)
#define STENO_DETAIL_LETTERS_steno_brace(...) STENO_DETAIL_EACH(STENO_DETAIL_BRACE_LETTER, __VA_ARGS__)

// `as`: steno_do or steno_try, below; `named`: the statement names a logger. `steno_accepted_`, which whoever expands
// this declares: whether the record is in shared memory, or was not to be logged.
#define STENO_DETAIL_BODY(as, style_, level_, named, logger_, ...)                                                 \
  static struct steno_detail_state steno_state_ = {0, NULL};                                                       \
  const struct steno_logger* const steno_logger_ = (named) ? steno_detail_logger(logger_) : NULL;                  \
  const uint64_t steno_word_ = __atomic_load_n(&steno_state_.word, __ATOMIC_RELAXED);                              \
  if (STENO_LIKELY(STENO_DETAIL_IS_ENABLED(steno_word_)) &&                                                        \
      (!(named) || steno_detail_passes(steno_logger_, level_, steno_word_))) {                                     \
    STENO_DETAIL_EACH(STENO_DETAIL_TAKE_##style_, __VA_ARGS__)                                                     \
    enum { steno_strings_ = 0 STENO_DETAIL_EACH(STENO_DETAIL_OR_STRING, __VA_ARGS__) };                            \
    enum { steno_fixed_ = 16 STENO_DETAIL_EACH(STENO_DETAIL_FIXED_SIZE, __VA_ARGS__) };                            \
    enum { steno_secrets_ = 0 STENO_DETAIL_EACH(STENO_DETAIL_OR_SECRET, __VA_ARGS__) };                            \
    enum { steno_described_ = 0 STENO_DETAIL_EACH(STENO_DETAIL_OR_MARK, __VA_ARGS__) };                            \
    struct steno_secrets_check_ {                                                                                  \
      unsigned steno_printf_takes_no_secrets : STENO_DETAIL_STYLE_##style_ == 0 || !steno_secrets_ ? 1 : -1;       \
    };                                                                                                             \
    static const char steno_types_[] = {STENO_DETAIL_LETTERS_##style_(__VA_ARGS__) 0, 1,                           \
                                        STENO_DETAIL_EACH(STENO_DETAIL_MARK, __VA_ARGS__) 0};                      \
    static const struct steno_detail_site steno_site_ = {&steno_state_,                                            \
                                                         &steno_detail_library,                                    \
                                                         "" STENO_DETAIL_FORMAT(__VA_ARGS__) "",                   \
                                                         __FILE__,                                                 \
                                                         __func__,                                                 \
                                                         steno_types_,                                             \
                                                         __LINE__,                                                 \
                                                         steno_strings_ ? 0 : (steno_fixed_ + 7) / 8,              \
                                                         level_,                                                   \
                                                         STENO_DETAIL_STYLE_##style_,                              \
                                                         named,                                                    \
                                                         false,                                                    \
                                                         false,                                                    \
                                                         steno_described_,                                         \
                                                         0};                                                       \
    static const struct steno_detail_site* const steno_listed_ __attribute__((section("steno_sites"), used)) =     \
        &steno_site_;                                                                                              \
    STENO_DETAIL_EACH(STENO_DETAIL_DECLARE_STRING, __VA_ARGS__)                                                    \
    const struct steno_detail_target steno_target_ = {steno_logger_};                                              \
    size_t steno_bytes_ = steno_fixed_;                                                                            \
    bool steno_short_ = STENO_DETAIL_IS_SHORT(steno_word_);                                                        \
    enum { steno_is_string_ = steno_strings_ && STENO_DETAIL_ARGUMENT_COUNT(__VA_ARGS__) == 1 };                   \
    if (steno_strings_ && !steno_is_string_ && STENO_LIKELY(steno_short_)) {                                       \
      STENO_DETAIL_EACH(STENO_DETAIL_MEASURE, __VA_ARGS__)                                                         \
      steno_short_ = steno_bytes_ <= 2048;                                                                         \
    }                                                                                                              \
    if (steno_is_string_ && STENO_LIKELY(steno_short_)) {                                                          \
      STENO_DETAIL_EACH(STENO_DETAIL_LOG_STRING, __VA_ARGS__)                                                      \
    } else {                                                                                                       \
      struct steno_detail_record steno_record_;                                                                    \
      char* steno_to_ = NULL;                                                                                      \
      steno_bytes_ = (steno_bytes_ + 7) & ~(size_t)7;                                                              \
      if (STENO_LIKELY(steno_short_)) {                                                                            \
        steno_to_ = steno_detail_open(                                                                             \
            &steno_record_, steno_target_,                                                                         \
            steno_strings_ ? steno_detail_with_size(steno_word_, steno_bytes_) : steno_word_, steno_bytes_, true); \
      }                                                                                                            \
      if (STENO_LIKELY(steno_to_ != NULL)) {                                                                       \
        STENO_DETAIL_EACH(STENO_DETAIL_STORE, __VA_ARGS__)                                                         \
        STENO_DETAIL_EACH(STENO_DETAIL_STORE_STRING, __VA_ARGS__)                                                  \
        (void)steno_to_;                                                                                           \
        steno_detail_close(&steno_record_, steno_target_, level_);                                                 \
      } else {                                                                                                     \
        struct steno_detail_value steno_values_[sizeof steno_types_];                                              \
        struct steno_detail_value* steno_value_ = steno_values_;                                                   \
        STENO_DETAIL_EACH(STENO_DETAIL_VALUE, __VA_ARGS__)                                                         \
        steno_value_->of.string.size = 0; /* one more, for errno */                                                \
        steno_accepted_ = steno_detail_log(&steno_site_, steno_logger_, steno_values_);                            \
      }                                                                                                            \
    }                                                                                                              \
    STENO_DETAIL_CHECK_##style_(__VA_ARGS__);                                                                      \
  }                                                                                                                \
  STENO_DETAIL_OTHERWISE_##as(named)

// A statement, and the same as an expression, which tells what a logger does not let pass from one whose session ended.
#define STENO_DETAIL_OTHERWISE_steno_do(named)
#define STENO_DETAIL_OTHERWISE_steno_try(named) \
  else if ((named) && __atomic_load_n(&steno_logger_->closed, __ATOMIC_RELAXED)) steno_accepted_ = false;
#define STENO_DETAIL_STATEMENT_steno_do(...) \
  do {                                       \
    bool steno_accepted_ = true;             \
    STENO_DETAIL_BODY(steno_do, __VA_ARGS__) \
    (void)steno_accepted_;                   \
  } while (0)
#define STENO_DETAIL_STATEMENT_steno_try(...) \
  __extension__({                             \
    bool steno_accepted_ = true;              \
    STENO_DETAIL_BODY(steno_try, __VA_ARGS__) \
    steno_accepted_;                          \
  })

// This is left of a statement that STENO_MIN_LEVEL strips: its arguments are checked, and never evaluated.
#define STENO_DETAIL_STRIPPED_steno_do(style_, logger_, ...)     \
  do {                                                           \
    if (0) {                                                     \
      STENO_DETAIL_EACH(STENO_DETAIL_TAKE_##style_, __VA_ARGS__) \
      STENO_DETAIL_EACH(STENO_DETAIL_IGNORE, __VA_ARGS__)        \
      (void)"" STENO_DETAIL_FORMAT(__VA_ARGS__) "";              \
      (void)(logger_);                                           \
      STENO_DETAIL_CHECK_##style_(__VA_ARGS__);                  \
    }                                                            \
  } while (0)
#define STENO_DETAIL_STRIPPED_steno_try(...)     \
  __extension__({                                \
    STENO_DETAIL_STRIPPED_steno_do(__VA_ARGS__); \
    true;                                        \
  })
#define STENO_DETAIL_IGNORE(n, a) (void)steno_argument_##n;

// By the name of a level: its number, and whether statements of it are compiled. `as`: steno_do or steno_try.
#if STENO_MIN_LEVEL > 0
#define STENO_DETAIL_AT_TRACE(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_TRACE(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 0, named, logger, __VA_ARGS__)
#endif
#if STENO_MIN_LEVEL > 1
#define STENO_DETAIL_AT_DEBUG(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_DEBUG(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 1, named, logger, __VA_ARGS__)
#endif
#if STENO_MIN_LEVEL > 2
#define STENO_DETAIL_AT_INFO(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_INFO(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 2, named, logger, __VA_ARGS__)
#endif
#if STENO_MIN_LEVEL > 3
#define STENO_DETAIL_AT_NOTICE(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_NOTICE(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 3, named, logger, __VA_ARGS__)
#endif
#if STENO_MIN_LEVEL > 4
#define STENO_DETAIL_AT_WARN(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_WARN(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 4, named, logger, __VA_ARGS__)
#endif
#if STENO_MIN_LEVEL > 5
#define STENO_DETAIL_AT_ERROR(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_ERROR(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 5, named, logger, __VA_ARGS__)
#endif
#if STENO_MIN_LEVEL > 6
#define STENO_DETAIL_AT_CRITICAL(as, style, named, logger, ...) STENO_DETAIL_STRIPPED_##as(style, logger, __VA_ARGS__)
#else
#define STENO_DETAIL_AT_CRITICAL(as, style, named, logger, ...) \
  STENO_DETAIL_STATEMENT_##as(style, 6, named, logger, __VA_ARGS__)
#endif

#endif  // __cplusplus
