// The length of a terminated string and the copy of a short one, inline, for C and for C++: the C library's calls cost
// more than the rest of a record.
//
// Whoever inlines these hides first which object a string is (STENO_DETAIL_HIDE): the length is read in blocks that may
// reach beyond its end, and sizes that it does not have are compiled too. Compilers warn of both.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "steno/detail/config.h"

// Sanitizers see reads past the end of a string.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define STENO_DETAIL_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_HWADDRESS__) || defined(__SANITIZE_THREAD__)
#define STENO_DETAIL_SANITIZED
#endif

#ifdef __cplusplus
#define STENO_DETAIL_SHARED inline __attribute__((always_inline))
#define STENO_DETAIL_CAST(kind, type, value) kind##_cast<type>(value)
#else
#define STENO_DETAIL_SHARED static inline __attribute__((always_inline, unused))
#define STENO_DETAIL_CAST(kind, type, value) ((type)(value))
#endif

#define STENO_DETAIL_HIDE(pointer) __asm__("" : "+r"(pointer))

#if defined(__SSE2__) && !defined(STENO_DETAIL_SANITIZED)
typedef char steno_detail_block __attribute__((vector_size(16), may_alias));

// Which of the 16 bytes from an aligned address on are NUL: they are on one page, and so readable if one of them is.
// Without <emmintrin.h>, which takes longer to compile than all of this.
STENO_DETAIL_SHARED unsigned steno_detail_zeros_at(uintptr_t address) {
  const steno_detail_block zero = {0};
  const steno_detail_block block = *STENO_DETAIL_CAST(reinterpret, const steno_detail_block*, address);
  return STENO_DETAIL_CAST(static, unsigned, __builtin_ia32_pmovmskb128(block == zero));
}

STENO_DETAIL_SHARED size_t steno_detail_text_length(const char* text) {
  const uintptr_t begin = STENO_DETAIL_CAST(reinterpret, uintptr_t, text);
  uintptr_t block = begin & ~STENO_DETAIL_CAST(static, uintptr_t, 15);
  unsigned zeros = steno_detail_zeros_at(block) >> (begin & 15);
  if (zeros != 0) return STENO_DETAIL_CAST(static, size_t, __builtin_ctz(zeros));
  do {
    block += 16;
    zeros = steno_detail_zeros_at(block);
  } while (zeros == 0);
  return block - begin + STENO_DETAIL_CAST(static, size_t, __builtin_ctz(zeros));
}
#else
STENO_DETAIL_SHARED size_t steno_detail_text_length(const char* text) {
  return strlen(text);
}
#endif
#undef STENO_DETAIL_SANITIZED

// The longest string that a statement's own code copies.
#define STENO_DETAIL_SHORT_STRING 128

typedef uint64_t steno_detail_sixteen __attribute__((vector_size(16)));

// Copies n bytes, at most STENO_DETAIL_SHORT_STRING. Few classes of sizes: a branch that is not foreseen costs more
// than bytes that are copied twice. Each block has a name: clang would keep an array of them on the stack.
STENO_DETAIL_SHARED void steno_detail_copy_short(char* to, const char* from, size_t n) {
  steno_detail_sixteen first, last, second, last_but_one, third, fourth, last_but_three, last_but_two;
  uint64_t first_word, last_word;
  uint32_t first_half, last_half;
  if (n >= 16) {
    __builtin_memcpy(&first, from, 16);
    __builtin_memcpy(&last, from + n - 16, 16);
    if (n > 32) {
      __builtin_memcpy(&second, from + 16, 16);
      __builtin_memcpy(&last_but_one, from + n - 32, 16);
      if (STENO_UNLIKELY(n > 64)) {
        __builtin_memcpy(&third, from + 32, 16);
        __builtin_memcpy(&fourth, from + 48, 16);
        __builtin_memcpy(&last_but_three, from + n - 64, 16);
        __builtin_memcpy(&last_but_two, from + n - 48, 16);
        __builtin_memcpy(to + 32, &third, 16);
        __builtin_memcpy(to + 48, &fourth, 16);
        __builtin_memcpy(to + n - 64, &last_but_three, 16);
        __builtin_memcpy(to + n - 48, &last_but_two, 16);
      }
      __builtin_memcpy(to + 16, &second, 16);
      __builtin_memcpy(to + n - 32, &last_but_one, 16);
    }
    __builtin_memcpy(to, &first, 16);
    __builtin_memcpy(to + n - 16, &last, 16);
  } else if (n >= 8) {
    __builtin_memcpy(&first_word, from, 8);
    __builtin_memcpy(&last_word, from + n - 8, 8);
    __builtin_memcpy(to, &first_word, 8);
    __builtin_memcpy(to + n - 8, &last_word, 8);
  } else if (n >= 4) {
    __builtin_memcpy(&first_half, from, 4);
    __builtin_memcpy(&last_half, from + n - 4, 4);
    __builtin_memcpy(to, &first_half, 4);
    __builtin_memcpy(to + n - 4, &last_half, 4);
  } else if (n != 0) {
    to[0] = from[0];
    to[n / 2] = from[n / 2];
    to[n - 1] = from[n - 1];
  }
}
