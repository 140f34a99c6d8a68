// Parts of a record's code that statements call (writer.h, capture.h).
#include <cstring>

#include "steno/detail/write_record.h"

namespace steno::detail {

namespace {

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
  return c_string(t.data, kUnbounded);
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
