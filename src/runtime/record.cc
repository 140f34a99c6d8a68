// Parts of a record's code that statements call (writer.h, capture.h).
#include <cstring>

#include "runtime/write_arguments.h"
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
  prefetch_room(p);
  std::memcpy(p, &word, 8);
  std::memcpy(p + 8, &now, 8);
  return {p + kArgsOffset, record.limit};
}

template <class Slot>
bool write_anew(Slot slot, std::uint64_t word, const SiteEntry& site, const Wire* arguments) {
  if (static_cast<std::uint32_t>(word) == 0) {
    word = first_word(site);
    if (word == 0) return true;
    word = slot.address(word);
  }
  if (site.size8 == 0) word &= ~(std::uint64_t{0xFFFF} << 32);  // that of a size found before
  std::size_t fixed = 0;
  std::size_t payload = 0;
  for (std::size_t i = 0; site.types[i] != '\0'; ++i) {
    const auto type = static_cast<ArgType>(site.types[i]);
    fixed += fixed_size(type);
    if (is_string(type)) payload += payload_size(arguments[i].string);
  }
  return runtime::write_arguments(slot, site, fixed, word, arguments, payload);
}

}  // namespace

bool log_again(DefaultSlot slot, std::uint64_t word, const SiteEntry& site, const Wire* arguments) noexcept {
  return write_anew(slot, word, site, arguments);
}

bool log_again(LoggerSlot slot, std::uint64_t word, const SiteEntry& site, const Wire* arguments) noexcept {
  return write_anew(slot, word, site, arguments);
}

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

// Few classes of sizes: a branch that is not foreseen costs more than bytes that are copied twice.
char* copy_payload(char* to, Bytes bytes) noexcept {
  struct Block {
    char bytes[16];
  };
  const std::size_t n = payload_size(bytes);
  const char* const from = static_cast<const char*>(bytes.data);
  const auto load = [from](std::size_t at) {
    Block block;
    std::memcpy(&block, from + at, sizeof block);
    return block;
  };
  const auto store = [to](std::size_t at, const Block& block) { std::memcpy(to + at, &block, sizeof block); };
  if (n > 128) {
    std::memcpy(to, from, n);
  } else if (n >= 16) {
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
    std::memcpy(to, from, 8);
    std::memcpy(to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + n - 4, from + n - 4, 4);
  } else if (n != 0) {
    to[0] = from[0];
    to[n / 2] = from[n / 2];
    to[n - 1] = from[n - 1];
  }
  return to + n;
}

}  // namespace steno::detail
