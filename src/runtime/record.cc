// Parts of a record's code that statements call (writer.h, capture.h).
#include <cstring>

#include "steno/detail/write_record.h"

// Sanitizers see reads past the end of a string.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define STENO_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_HWADDRESS__) || defined(__SANITIZE_THREAD__)
#define STENO_SANITIZED
#endif
#if defined(__SSE2__) && !defined(STENO_SANITIZED)
#include <emmintrin.h>
#define STENO_LENGTH_BY_BLOCKS
#endif

namespace steno::detail {

namespace {

#if defined(STENO_LENGTH_BY_BLOCKS)
// Which of the 16 bytes from an aligned address on are NUL: they are on one page, and so readable if one of them is.
STENO_ALWAYS_INLINE unsigned zeros_at(std::uintptr_t address) {
  const __m128i block = _mm_load_si128(reinterpret_cast<const __m128i*>(address));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_setzero_si128())));
}

// strlen() inline: short strings spend more on the C library's call than on their length.
STENO_ALWAYS_INLINE std::size_t text_length(const char* text) {
  const auto begin = reinterpret_cast<std::uintptr_t>(text);
  std::uintptr_t block = begin & ~std::uintptr_t{15};
  unsigned zeros = zeros_at(block) >> (begin & 15);
  if (zeros != 0) return static_cast<std::size_t>(__builtin_ctz(zeros));
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

template <class Slot>
STENO_ALWAYS_INLINE BegunRecord begin(Slot slot, const SiteEntry& site, std::uint64_t word, std::size_t bytes) {
  OpenRecord record;
  if (!open_record(&record, slot, bytes, site)) return {nullptr, 0};
  const std::uint64_t now = read_clock(slot);
  char* const p = record_data(record, slot.writer());
  std::memcpy(p, &word, 8);
  std::memcpy(p + 8, &now, 8);
  return {p + kArgsOffset, record.limit};
}

}  // namespace

BegunRecord begin_record(DefaultSlot slot, const SiteEntry& site, std::uint64_t word, std::size_t bytes) noexcept {
  return begin(slot, site, word, bytes);
}

BegunRecord begin_record(LoggerSlot slot, const SiteEntry& site, std::uint64_t word, std::size_t bytes) noexcept {
  return begin(slot, site, word, bytes);
}

Bytes measured(Terminated t) noexcept {
  if (STENO_UNLIKELY(t.data == nullptr)) return {nullptr, kNullBytes};
  return {t.data, text_length(t.data)};
}

char* copy_payload(char* to, Bytes bytes) noexcept {
  const std::size_t n = payload_size(bytes);
  const char* s = static_cast<const char*>(bytes.data);
  if (n >= 16) {
    if (n > 256) {
      std::memcpy(to, s, n);
      return to + n;
    }
    std::size_t i = 0;
    do {
      __builtin_memcpy(to + i, s + i, 16);
      i += 16;
    } while (i + 16 <= n);
    __builtin_memcpy(to + n - 16, s + n - 16, 16);
  } else if (n >= 8) {
    __builtin_memcpy(to, s, 8);
    __builtin_memcpy(to + n - 8, s + n - 8, 8);
  } else if (n >= 4) {
    __builtin_memcpy(to, s, 4);
    __builtin_memcpy(to + n - 4, s + n - 4, 4);
  } else if (n != 0) {
    to[0] = s[0];
    to[n / 2] = s[n / 2];
    to[n - 1] = s[n - 1];
  }
  return to + n;
}

}  // namespace steno::detail
