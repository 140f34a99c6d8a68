// Arguments of log statements in C, by their types: letters, how values are stored, strings, lists and secrets (c.h).
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

// The text by which steno_secret() stands for a value.
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
                         : steno_detail_put_text, struct steno_detail_signed_list               \
                         : steno_detail_put_signed_list, struct steno_detail_unsigned_list      \
                         : steno_detail_put_unsigned_list, struct steno_detail_secret_text      \
                         : steno_detail_put_secret_text, struct steno_detail_secret_integer     \
                         : steno_detail_put_secret_integer, struct steno_detail_secret_unsigned \
                         : steno_detail_put_secret_unsigned, struct steno_detail_secret_real    \
                         : steno_detail_put_secret_real, default                                \
                         : steno_detail_put_pointer)((p), (a))

// An argument as a string; never called for other types.
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

#endif  // __cplusplus
