// The length of a terminated string and the copy of a short one, inline: the C library's calls cost more than the rest
// of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

namespace steno::detail {

#if defined(__SSE2__) && !defined(STENO_DETAIL_SANITIZED)
// Which of the 16 bytes from an aligned address on are NUL: they are on one page, and so readable if one of them is.
// Without <emmintrin.h>, which takes longer to compile than all of this.
STENO_ALWAYS_INLINE unsigned zeros_at(std::uintptr_t address) {
  typedef char Block __attribute__((vector_size(16), may_alias));
  const Block block = *reinterpret_cast<const Block*>(address);
  return static_cast<unsigned>(__builtin_ia32_pmovmskb128(block == Block{}));
}

STENO_ALWAYS_INLINE std::size_t text_length(const char* text) {
  const auto begin = reinterpret_cast<std::uintptr_t>(text);
  std::uintptr_t block = begin & ~std::uintptr_t{15};
  const unsigned zeros_of_first = zeros_at(block) >> (begin & 15);
  if (zeros_of_first != 0) return static_cast<std::size_t>(__builtin_ctz(zeros_of_first));
  unsigned zeros;
  do {
    block += 16;
    zeros = zeros_at(block);
  } while (zeros == 0);
  return block - begin + static_cast<std::size_t>(__builtin_ctz(zeros));
}
#else
STENO_ALWAYS_INLINE std::size_t text_length(const char* text) {
  return std::strlen(text);
}
#endif
#undef STENO_DETAIL_SANITIZED

inline constexpr std::size_t kShortString = 128;

// Copies n bytes, at most kShortString. Few classes of sizes: a branch that is not foreseen costs more than bytes that
// are copied twice.
STENO_ALWAYS_INLINE void copy_short(char* to, const char* from, std::size_t n) {
  struct Block {
    char bytes[16];
  };
  const auto load = [from](std::size_t at) {
    Block block;
    __builtin_memcpy(&block, from + at, sizeof block);
    return block;
  };
  const auto store = [to](std::size_t at, const Block& block) { __builtin_memcpy(to + at, &block, sizeof block); };
  if (n >= 16) {
    const Block first = load(0);
    const Block last = load(n - 16);
    if (n > 32) {
      const Block second = load(16);
      const Block last_but_one = load(n - 32);
      if (n > 64) {
        const Block middle[] = {load(32), load(48), load(n - 64), load(n - 48)};
        store(32, middle[0]);
        store(48, middle[1]);
        store(n - 64, middle[2]);
        store(n - 48, middle[3]);
      }
      store(16, second);
      store(n - 32, last_but_one);
    }
    store(0, first);
    store(n - 16, last);
  } else if (n >= 8) {
    std::uint64_t words[2];
    __builtin_memcpy(&words[0], from, 8);
    __builtin_memcpy(&words[1], from + n - 8, 8);
    __builtin_memcpy(to, &words[0], 8);
    __builtin_memcpy(to + n - 8, &words[1], 8);
  } else if (n >= 4) {
    std::uint32_t words[2];
    __builtin_memcpy(&words[0], from, 4);
    __builtin_memcpy(&words[1], from + n - 4, 4);
    __builtin_memcpy(to, &words[0], 4);
    __builtin_memcpy(to + n - 4, &words[1], 4);
  } else if (n != 0) {
    to[0] = from[0];
    to[n / 2] = from[n / 2];
    to[n - 1] = from[n - 1];
  }
}

}  // namespace steno::detail
