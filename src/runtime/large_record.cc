// Records above kLargeRecord (write_record.h): whole if the ring takes them, else with their longest strings cut
// (types.md). And what a span keeps of its strings.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/producer.h"
#include "steno/detail/format_check.h"
#include "steno/detail/span.h"
#include "steno/detail/write_record.h"
#include "wire/record.h"

namespace steno::detail {
namespace {

constexpr std::size_t kMarkRoom = 40;  // units of the longest mark, "…[+18446744073709551615 bytes]"

struct Piece {
  const char* data = nullptr;
  std::size_t size = 0;  // as given
  std::size_t keep = 0;  // as stored, mark not counted
  unsigned unit = 1;
  bool null = true;
};

// How many bytes each string may keep so that all fit `room`: the largest common limit, the short ones whole. Rises
// from an even share as short strings leave room to the others; ends after as many rounds as there are strings.
std::size_t common_limit(const Piece* pieces, std::size_t count, std::size_t room) {
  std::size_t limit = room / count;
  for (std::size_t round = 0; round < count; ++round) {
    std::size_t small = 0;
    std::size_t large = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (pieces[i].size <= limit) {
        small += pieces[i].size;
      } else {
        ++large;
      }
    }
    if (large == 0) break;
    const std::size_t next = (room - small) / large;
    if (next == limit) break;
    limit = next;
  }
  return limit;
}

// Cuts at the start of a character, in UTF-8 and UTF-32; UTF-16 at that of a unit.
std::size_t whole_characters(const Piece& piece, std::size_t keep) {
  keep = keep / piece.unit * piece.unit;
  if (piece.unit != 1) return keep;
  for (int i = 0; i < 3 && keep > 0 && (static_cast<unsigned char>(piece.data[keep]) & 0xC0) == 0x80; ++i) --keep;
  return keep;
}

// Writes the mark in units of the string; returns its bytes.
std::size_t make_mark(const Piece& piece, char* out) {
  char digits[48];
  const int n = snprintf(digits, sizeof digits, "[+%zu bytes]", piece.size - piece.keep);
  std::size_t bytes = 0;
  if (piece.unit == 1) {
    std::memcpy(out, "…", 3);
    bytes = 3;
  } else {
    const char32_t ellipsis = 0x2026;
    std::memcpy(out, &ellipsis, piece.unit);  // little-endian: the low half is the UTF-16 unit
    bytes = piece.unit;
  }
  for (int i = 0; i < n; ++i) {
    const char32_t c = static_cast<unsigned char>(digits[i]);
    std::memcpy(out + bytes, &c, piece.unit);
    bytes += piece.unit;
  }
  return bytes;
}

// The arguments of a record, and which of their strings are cut.
struct Layout {
  const char* types;
  const Wire* arguments;
  std::size_t count = 0;
  std::size_t fixed = 0;
  std::size_t payload = 0;
  Piece pieces[kMaxArguments + 1] = {};  // one more for errno, or a format
  char marks[kMaxArguments + 1][kMarkRoom * 4];
  std::size_t mark_sizes[kMaxArguments + 1] = {};

  Layout(const char* types_, std::size_t count_, const Wire* arguments_)
      : types(types_), arguments(arguments_), count(count_) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto type = static_cast<ArgType>(types[i]);
      Piece& piece = pieces[i];
      fixed += fixed_size(type);
      piece.unit = unit_size(type);
      if (!is_string(type) || arguments[i].string.size == kNullBytes) continue;
      piece.null = false;
      piece.data = static_cast<const char*>(arguments[i].string.data);
      piece.size = piece.keep = arguments[i].string.size;
      payload += piece.size;
    }
  }

  // Makes the payload fit, if that is possible; it is not if the marks alone are too many.
  void cut_to(std::size_t most) {
    if (payload <= most) return;
    std::size_t room = 0;
    for (std::size_t i = 0; i < count; ++i) room += pieces[i].size != 0 ? kMarkRoom * pieces[i].unit : 0;
    const std::size_t limit = common_limit(pieces, count, most > room ? most - room : 0);
    payload = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (pieces[i].size > limit) pieces[i].keep = whole_characters(pieces[i], limit);
      if (pieces[i].keep != pieces[i].size) mark_sizes[i] = make_mark(pieces[i], marks[i]);
      payload += pieces[i].keep + mark_sizes[i];
    }
  }

  void write(char* to, char* out) const {
    for (std::size_t i = 0; i < count; ++i) {
      const Piece& piece = pieces[i];
      if (!is_string(static_cast<ArgType>(types[i]))) {
        std::memcpy(to, arguments[i].number, fixed_size(static_cast<ArgType>(types[i])));
      } else {
        const auto size = piece.null ? kNullString : static_cast<std::uint32_t>(piece.keep + mark_sizes[i]);
        std::memcpy(to, &size, 4);
        if (piece.keep != 0) std::memcpy(out, piece.data, piece.keep);
        std::memcpy(out + piece.keep, marks[i], mark_sizes[i]);
        out += piece.keep + mark_sizes[i];
      }
      to += fixed_size(static_cast<ArgType>(types[i]));
    }
  }
};

}  // namespace

bool log_large(std::uint32_t slot, std::uint64_t word, const SiteEntry& site, const Wire* arguments) noexcept {
  if (!runtime::prepare_thread(slot)) {
    runtime::count_lost(slot);
    return false;
  }
  Layout layout(site.types, std::strlen(site.types), arguments);
  const std::size_t head = wire::kArgsOffset + layout.fixed;
  const std::size_t whole = std::min<std::size_t>(wire::kMaxRecordSize, (head + layout.payload + 7) & ~std::size_t{7});
  const std::size_t most = runtime::largest_record(slot, whole);
  layout.cut_to(most > head ? most - head : 0);

  const std::size_t bytes = (head + layout.payload + 7) & ~std::size_t{7};
  if (bytes > most) {  // too many marks for so small a ring
    runtime::count_too_large(slot);
    return false;
  }
  const LoggerSlot any(slot, 0);  // the word names the logger already
  const BegunRecord record = begin_record(any, site, with_size(word, bytes), bytes);
  if (record.arguments == nullptr) return false;
  layout.write(record.arguments, record.arguments + layout.fixed);
  end_record(any, record, bytes);
  if (site.level >= Level::kWarn) notify_if(any.writer(), slot, site.level);
  return true;
}

std::size_t cut_span_text(const char* types, std::size_t count, const Wire* arguments, char* image) noexcept {
  Layout layout(types, count, arguments);
  layout.cut_to(kSpanText);
  if (layout.payload > kSpanText) {  // too many marks: of so many strings nothing is kept
    for (std::size_t i = 0; i < count; ++i) layout.pieces[i].keep = layout.mark_sizes[i] = 0;
    layout.payload = 0;
  }
  layout.write(image, image + layout.fixed);
  return layout.payload;
}

}  // namespace steno::detail
