// What a log statement in C expands to (c.h).
//
// A statement has a static site, which a section lists: the program registers it before main, and a library when it is
// loaded, as statements in C++ do. A call loads its word, takes its arguments, and stores them into the ring, inline;
// strings are measured and copied by functions. No C++ here: <steno/log.h> has the same macros for it.
#pragma once

#ifndef __cplusplus

#include <string.h>

#include "steno/detail/c_macros.h"
#include "steno/detail/c_record.h"

__extension__ typedef __int128 steno_detail_int128;
__extension__ typedef unsigned __int128 steno_detail_uint128;

// A string that need not end with a NUL.
struct steno_text {
  const char* data;
  size_t size;
};

// An array of bytes is a list of numbers in a statement in braces.
struct steno_detail_signed_list {
  struct steno_text bytes;
};
struct steno_detail_unsigned_list {
  struct steno_text bytes;
};

// What steno_secret() makes of a value.
struct steno_detail_secret_text {
  struct steno_text text;
};
struct steno_detail_secret_integer {
  int64_t value;
};
struct steno_detail_secret_unsigned {
  uint64_t value;
};
struct steno_detail_secret_real {
  double value;
};

// Bits of a statement's word: it is disabled; it has to go the long way, as also one does that is not registered (0).
#define STENO_DETAIL_IS_ENABLED(word) (((word) >> 63) == 0)
#define STENO_DETAIL_IS_SHORT(word) ((((word)-1) >> 62) == 0)

// The letter of an argument's type (types.md). `wide`: that of a pointer to wchar_t, which is one to an integer.
#define STENO_DETAIL_LETTER(a, wide) \
  __extension__ _Generic((a),                                                                                        \
      _Bool: 'b',                                                                                                    \
      char: 'c',                                                                                                     \
      signed char: 'a',                                                                                              \
      unsigned char: 'h',                                                                                            \
      short: 's',                                                                                                    \
      unsigned short: 't',                                                                                           \
      int: 'i',                                                                                                      \
      unsigned: 'j',                                                                                                 \
      long: 'l',                                                                                                     \
      unsigned long: 'm',                                                                                            \
      long long: 'l',                                                                                                \
      unsigned long long: 'm',                                                                                       \
      steno_detail_int128: 'n',                                                                                      \
      steno_detail_uint128: 'o',                                                                                     \
      float: 'f',                                                                                                    \
      double: 'd',                                                                                                   \
      long double: sizeof(long double) == 8 ? 'd' : __LDBL_MANT_DIG__ == 64 ? 'e' : 'g',                             \
      char*: 'S',                                                                                                    \
      const char*: 'S',                                                                                              \
      signed char*: 'S',                                                                                             \
      const signed char*: 'S',                                                                                       \
      unsigned char*: 'S',                                                                                           \
      const unsigned char*: 'S',                                                                                     \
      struct steno_text: 'S',                                                                                        \
      const struct steno_text: 'S',                                                                                  \
      struct steno_detail_signed_list: 'S',                                                                          \
      struct steno_detail_unsigned_list: 'S',                                                                        \
      struct steno_detail_secret_text: 'S',                                                                          \
      struct steno_detail_secret_integer: 'l',                                                                       \
      struct steno_detail_secret_unsigned: 'm',                                                                      \
      struct steno_detail_secret_real: 'd',                                                                          \
      __WCHAR_TYPE__*: wide,                                                                                         \
      const __WCHAR_TYPE__*: wide,                                                                                   \
      default: 'p')
#define STENO_DETAIL_IS_SECRET(a)                                                                          \
  __extension__ _Generic((a), struct steno_detail_secret_text : 1, struct steno_detail_secret_integer : 1, \
                         struct steno_detail_secret_unsigned : 1, struct steno_detail_secret_real : 1, default : 0)
// The letter that stands for the meaning of an argument: '!' of a secret, 'a' and 'h' of a list of such numbers.
#define STENO_DETAIL_MARK_OF(a)                                   \
  __extension__ _Generic((a), struct steno_detail_signed_list     \
                         : 'a', struct steno_detail_unsigned_list \
                         : 'h', default                           \
                         : STENO_DETAIL_IS_SECRET(a) ? '!' : '-')
#define STENO_DETAIL_IS_STRING(a) (STENO_DETAIL_LETTER(a, 'p') == 'S')

// One function a type: stores a value and returns where it ends.
#define STENO_DETAIL_PUT(type, name)                                   \
  STENO_DETAIL_INLINE char* steno_detail_put_##name(char* p, type v) { \
    __builtin_memcpy(p, &v, sizeof v);                                 \
    return p + sizeof v;                                               \
  }
STENO_DETAIL_PUT(_Bool, b)
STENO_DETAIL_PUT(char, c)
STENO_DETAIL_PUT(signed char, a)
STENO_DETAIL_PUT(unsigned char, h)
STENO_DETAIL_PUT(short, s)
STENO_DETAIL_PUT(unsigned short, t)
STENO_DETAIL_PUT(int, i)
STENO_DETAIL_PUT(unsigned, j)
STENO_DETAIL_PUT(long, l)
STENO_DETAIL_PUT(unsigned long, m)
STENO_DETAIL_PUT(long long, x)
STENO_DETAIL_PUT(unsigned long long, y)
STENO_DETAIL_PUT(steno_detail_int128, n)
STENO_DETAIL_PUT(steno_detail_uint128, o)
STENO_DETAIL_PUT(float, f)
STENO_DETAIL_PUT(double, d)
STENO_DETAIL_PUT(const volatile void*, pointer)
STENO_DETAIL_PUT(struct steno_detail_secret_integer, secret_integer)
STENO_DETAIL_PUT(struct steno_detail_secret_unsigned, secret_unsigned)
STENO_DETAIL_PUT(struct steno_detail_secret_real, secret_real)
#undef STENO_DETAIL_PUT
STENO_DETAIL_INLINE char* steno_detail_put_e(char* p, long double v) {
  char image[sizeof v] = {0};
  __builtin_memcpy(image, &v, __LDBL_MANT_DIG__ == 64 ? 10 : sizeof v);  // x87: six bytes are no value
  __builtin_memcpy(p, image, sizeof v);
  return p + sizeof v;
}
STENO_DETAIL_INLINE char* steno_detail_put_text(char* p, struct steno_text text) {  // never called
  (void)text;
  return p;
}
STENO_DETAIL_INLINE char* steno_detail_put_signed_list(char* p, struct steno_detail_signed_list list) {  // never called
  (void)list;
  return p;
}
STENO_DETAIL_INLINE char* steno_detail_put_unsigned_list(char* p, struct steno_detail_unsigned_list list) {  // nor this
  (void)list;
  return p;
}
STENO_DETAIL_INLINE char* steno_detail_put_secret_text(char* p, struct steno_detail_secret_text text) {  // never called
  (void)text;
  return p;
}
#define STENO_DETAIL_PUT_NUMBER(p, a)                                                           \
  __extension__ _Generic((a), _Bool                                                             \
                         : steno_detail_put_b, char                                             \
                         : steno_detail_put_c, signed char                                      \
                         : steno_detail_put_a, unsigned char                                    \
                         : steno_detail_put_h, short                                            \
                         : steno_detail_put_s, unsigned short                                   \
                         : steno_detail_put_t, int                                              \
                         : steno_detail_put_i, unsigned                                         \
                         : steno_detail_put_j, long                                             \
                         : steno_detail_put_l, unsigned long                                    \
                         : steno_detail_put_m, long long                                        \
                         : steno_detail_put_x, unsigned long long                               \
                         : steno_detail_put_y, steno_detail_int128                              \
                         : steno_detail_put_n, steno_detail_uint128                             \
                         : steno_detail_put_o, float                                            \
                         : steno_detail_put_f, double                                           \
                         : steno_detail_put_d, long double                                      \
                         : steno_detail_put_e, struct steno_text                                \
                         : steno_detail_put_text, const struct steno_text                       \
                         : steno_detail_put_text, struct steno_detail_signed_list               \
                         : steno_detail_put_signed_list, struct steno_detail_unsigned_list      \
                         : steno_detail_put_unsigned_list, struct steno_detail_secret_text      \
                         : steno_detail_put_secret_text, struct steno_detail_secret_integer     \
                         : steno_detail_put_secret_integer, struct steno_detail_secret_unsigned \
                         : steno_detail_put_secret_unsigned, struct steno_detail_secret_real    \
                         : steno_detail_put_secret_real, default                                \
                         : steno_detail_put_pointer)((p), (a))

// An argument as a string. Of no other types is it ever called.
STENO_DETAIL_INLINE struct steno_detail_bytes steno_detail_string(int unused, const void* text) {
  const struct steno_detail_bytes bytes = {text, text != NULL ? SIZE_MAX - 1 : SIZE_MAX};
  (void)unused;
  return bytes;
}
STENO_DETAIL_INLINE struct steno_detail_bytes steno_detail_string_of_text(int unused, struct steno_text text) {
  const struct steno_detail_bytes bytes = {text.data, text.size};
  (void)unused;
  return bytes;
}
STENO_DETAIL_INLINE struct steno_detail_bytes steno_detail_string_of_secret(int unused,
                                                                            struct steno_detail_secret_text secret) {
  return steno_detail_string_of_text(unused, secret.text);
}
STENO_DETAIL_INLINE struct steno_detail_bytes steno_detail_string_of_signed(int unused,
                                                                            struct steno_detail_signed_list list) {
  return steno_detail_string_of_text(unused, list.bytes);
}
STENO_DETAIL_INLINE struct steno_detail_bytes steno_detail_string_of_unsigned(int unused,
                                                                              struct steno_detail_unsigned_list list) {
  return steno_detail_string_of_text(unused, list.bytes);
}
struct steno_detail_bytes steno_detail_no_string(int unused, ...);
#define STENO_DETAIL_STRING(a) \
  __extension__ _Generic((a),                                \
      char*: steno_detail_string,                            \
      const char*: steno_detail_string,                      \
      signed char*: steno_detail_string,                     \
      const signed char*: steno_detail_string,               \
      unsigned char*: steno_detail_string,                   \
      const unsigned char*: steno_detail_string,             \
      struct steno_text: steno_detail_string_of_text,        \
      const struct steno_text: steno_detail_string_of_text,  \
      struct steno_detail_signed_list: steno_detail_string_of_signed,     \
      struct steno_detail_unsigned_list: steno_detail_string_of_unsigned, \
      struct steno_detail_secret_text: steno_detail_string_of_secret, \
      default: steno_detail_no_string)(0, (a))

STENO_DETAIL_INLINE struct steno_detail_bytes steno_detail_measured(struct steno_detail_bytes bytes) {
  if (bytes.size == SIZE_MAX - 1) bytes.size = strlen((const char*)bytes.data);
  return bytes;
}
STENO_DETAIL_INLINE size_t steno_detail_payload(struct steno_detail_bytes bytes) {
  return bytes.size == SIZE_MAX ? 0 : bytes.size;
}
STENO_DETAIL_INLINE char* steno_detail_put_length(char* p, struct steno_detail_bytes bytes) {
  return steno_detail_put_j(p, (unsigned)bytes.size);  // of a null pointer the wire's mark for it
}

// By the type of a value: what steno_secret() expands to. Pointers that are no strings do not compile.
STENO_DETAIL_INLINE struct steno_detail_secret_text steno_detail_secret_string(const void* text) {
  const struct steno_detail_secret_text secret = {{(const char*)text, text != NULL ? SIZE_MAX - 1 : SIZE_MAX}};
  return secret;
}
STENO_DETAIL_INLINE struct steno_detail_secret_text steno_detail_secret_of_text(struct steno_text text) {
  const struct steno_detail_secret_text secret = {text};
  return secret;
}
STENO_DETAIL_INLINE struct steno_detail_secret_text steno_detail_secret_of_signed(
    struct steno_detail_signed_list list) {
  return steno_detail_secret_of_text(list.bytes);
}
STENO_DETAIL_INLINE struct steno_detail_secret_text steno_detail_secret_of_bytes(
    struct steno_detail_unsigned_list list) {
  return steno_detail_secret_of_text(list.bytes);
}
STENO_DETAIL_INLINE struct steno_detail_secret_integer steno_detail_secret_of_integer(long long value) {
  const struct steno_detail_secret_integer secret = {value};
  return secret;
}
STENO_DETAIL_INLINE struct steno_detail_secret_unsigned steno_detail_secret_of_unsigned(unsigned long long value) {
  const struct steno_detail_secret_unsigned secret = {value};
  return secret;
}
STENO_DETAIL_INLINE struct steno_detail_secret_real steno_detail_secret_of_real(double value) {
  const struct steno_detail_secret_real secret = {value};
  return secret;
}
#define STENO_DETAIL_SECRET(a) \
  __extension__ _Generic(STENO_DETAIL_BRACE_VALUE(a),        \
      struct steno_detail_unsigned_list: steno_detail_secret_of_bytes,  \
      struct steno_detail_signed_list: steno_detail_secret_of_signed,     \
      char*: steno_detail_secret_string,                     \
      const char*: steno_detail_secret_string,               \
      signed char*: steno_detail_secret_string,              \
      const signed char*: steno_detail_secret_string,        \
      unsigned char*: steno_detail_secret_string,            \
      const unsigned char*: steno_detail_secret_string,      \
      struct steno_text: steno_detail_secret_of_text,        \
      const struct steno_text: steno_detail_secret_of_text,  \
      float: steno_detail_secret_of_real,                    \
      double: steno_detail_secret_of_real,                   \
      unsigned: steno_detail_secret_of_unsigned,             \
      unsigned long: steno_detail_secret_of_unsigned,        \
      unsigned long long: steno_detail_secret_of_unsigned,   \
      _Bool: steno_detail_secret_of_integer,                 \
      char: steno_detail_secret_of_integer,                  \
      signed char: steno_detail_secret_of_integer,           \
      unsigned char: steno_detail_secret_of_integer,         \
      short: steno_detail_secret_of_integer,                 \
      unsigned short: steno_detail_secret_of_integer,        \
      int: steno_detail_secret_of_integer,                   \
      long: steno_detail_secret_of_integer,                  \
      long long: steno_detail_secret_of_integer)(STENO_DETAIL_BRACE_VALUE(a))

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

// An argument of a statement in braces: an array of signed or unsigned char is a list, and all of it; what is an array
// no longer, but a pointer to such a type, is text, as for printf. (Compatible types may have other qualifiers.) Where
// and how large it is is compiled where there is none, too.
#define STENO_DETAIL_IS_ARRAY_OF(type, a) __builtin_types_compatible_p(__typeof__(a), type[])
#define STENO_DETAIL_BRACE_VALUE(a)                                                \
  __builtin_choose_expr(                                                           \
      STENO_DETAIL_IS_ARRAY_OF(unsigned char, a),                                  \
      ((struct steno_detail_unsigned_list){STENO_DETAIL_BYTES(unsigned char, a)}), \
      __builtin_choose_expr(STENO_DETAIL_IS_ARRAY_OF(signed char, a),              \
                            ((struct steno_detail_signed_list){STENO_DETAIL_BYTES(signed char, a)}), ((void)0, (a))))
#define STENO_DETAIL_BYTES(type, a) \
  steno_detail_text_at(_Generic(((void)0, (a)), type*: (a), const type*: (a), volatile type*: (a),               \
                                const volatile type*: (a), default: NULL),                                       \
                       sizeof(__typeof__(__builtin_choose_expr(STENO_DETAIL_IS_ARRAY_OF(type, a), (a), 0))))
STENO_DETAIL_INLINE struct steno_text steno_detail_text_at(const volatile void* data, size_t size) {
  const struct steno_text text = {(const char*)(uintptr_t)data, size};
  return text;
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
#define STENO_DETAIL_BODY(as, style_, level_, named, logger_, ...)                                                   \
  static struct steno_detail_state steno_state_ = {0, NULL};                                                         \
  const struct steno_logger* const steno_logger_ = (named) ? steno_detail_logger(logger_) : NULL;                    \
  const uint64_t steno_word_ = __atomic_load_n(&steno_state_.word, __ATOMIC_RELAXED);                                \
  if (STENO_LIKELY(STENO_DETAIL_IS_ENABLED(steno_word_)) &&                                                          \
      (!(named) || steno_detail_passes(steno_logger_, level_, steno_word_))) {                                       \
    STENO_DETAIL_EACH(STENO_DETAIL_TAKE_##style_, __VA_ARGS__)                                                       \
    enum { steno_strings_ = 0 STENO_DETAIL_EACH(STENO_DETAIL_OR_STRING, __VA_ARGS__) };                              \
    enum { steno_fixed_ = 16 STENO_DETAIL_EACH(STENO_DETAIL_FIXED_SIZE, __VA_ARGS__) };                              \
    enum { steno_secrets_ = 0 STENO_DETAIL_EACH(STENO_DETAIL_OR_SECRET, __VA_ARGS__) };                              \
    enum { steno_described_ = 0 STENO_DETAIL_EACH(STENO_DETAIL_OR_MARK, __VA_ARGS__) };                              \
    struct steno_secrets_check_ {                                                                                    \
      unsigned steno_printf_takes_no_secrets : STENO_DETAIL_STYLE_##style_ == 0 || !steno_secrets_ ? 1 : -1;         \
    };                                                                                                               \
    static const char steno_types_[] = {STENO_DETAIL_LETTERS_##style_(__VA_ARGS__) 0, 1,                             \
                                        STENO_DETAIL_EACH(STENO_DETAIL_MARK, __VA_ARGS__) 0};                        \
    static const struct steno_detail_site steno_site_ = {&steno_state_,                                              \
                                                         &steno_detail_library,                                      \
                                                         "" STENO_DETAIL_FORMAT(__VA_ARGS__) "",                     \
                                                         __FILE__,                                                   \
                                                         __func__,                                                   \
                                                         steno_types_,                                               \
                                                         __LINE__,                                                   \
                                                         steno_strings_ ? 0 : (steno_fixed_ + 7) / 8,                \
                                                         level_,                                                     \
                                                         STENO_DETAIL_STYLE_##style_,                                \
                                                         named,                                                      \
                                                         false,                                                      \
                                                         false,                                                      \
                                                         steno_described_,                                           \
                                                         0};                                                         \
    static const struct steno_detail_site* const steno_listed_ __attribute__((section("steno_sites"), used)) =       \
        &steno_site_;                                                                                                \
    STENO_DETAIL_EACH(STENO_DETAIL_DECLARE_STRING, __VA_ARGS__)                                                      \
    const struct steno_detail_target steno_target_ = {steno_logger_};                                                \
    size_t steno_bytes_ = steno_fixed_;                                                                              \
    bool steno_short_ = STENO_DETAIL_IS_SHORT(steno_word_);                                                          \
    if (steno_strings_ && STENO_LIKELY(steno_short_)) {                                                              \
      STENO_DETAIL_EACH(STENO_DETAIL_MEASURE, __VA_ARGS__)                                                           \
      steno_short_ = steno_bytes_ <= 2048;                                                                           \
    }                                                                                                                \
    if (STENO_LIKELY(steno_short_)) {                                                                                \
      struct steno_detail_record steno_record_;                                                                      \
      char* steno_to_;                                                                                               \
      steno_bytes_ = (steno_bytes_ + 7) & ~(size_t)7;                                                                \
      steno_to_ = steno_detail_open(&steno_record_, steno_target_, level_,                                           \
                                    steno_strings_ ? steno_word_ | (uint64_t)(steno_bytes_ / 8) << 32 : steno_word_, \
                                    steno_bytes_);                                                                   \
      if (STENO_LIKELY(steno_to_ != NULL)) {                                                                         \
        STENO_DETAIL_EACH(STENO_DETAIL_STORE, __VA_ARGS__)                                                           \
        STENO_DETAIL_EACH(STENO_DETAIL_STORE_STRING, __VA_ARGS__)                                                    \
        (void)steno_to_;                                                                                             \
        steno_detail_close(&steno_record_, steno_target_, level_);                                                   \
      } else {                                                                                                       \
        steno_accepted_ = false;                                                                                     \
      }                                                                                                              \
    } else {                                                                                                         \
      struct steno_detail_value steno_values_[sizeof steno_types_];                                                  \
      struct steno_detail_value* steno_value_ = steno_values_;                                                       \
      STENO_DETAIL_EACH(STENO_DETAIL_VALUE, __VA_ARGS__)                                                             \
      steno_value_->of.string.size = 0; /* one more, for errno */                                                    \
      steno_accepted_ = steno_detail_log(&steno_site_, steno_logger_, steno_values_);                                \
    }                                                                                                                \
    STENO_DETAIL_CHECK_##style_(__VA_ARGS__);                                                                        \
  }                                                                                                                  \
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
