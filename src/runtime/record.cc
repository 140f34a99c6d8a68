// Parts of a record's code that statements call (writer.h, capture.h).
#include <cstring>

#include "runtime/write_arguments.h"
#include "steno/detail/string_bytes.h"
#include "steno/detail/write_record.h"

namespace steno::detail {

namespace {

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
  return {t.data, steno_detail_text_length(t.data)};
}

char* copy_payload(char* to, Bytes bytes) noexcept {
  const std::size_t n = payload_size(bytes);
  const char* const from = static_cast<const char*>(bytes.data);
  STENO_LIKELY(n <= STENO_DETAIL_SHORT_STRING) ? steno_detail_copy_short(to, from, n)
                                               : static_cast<void>(std::memcpy(to, from, n));
  return to + n;
}

}  // namespace steno::detail
