// Records above kLargeRecord (write_record.h): whole if the ring takes them, else with their longest strings cut
// (types.md).
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/core.h"
#include "steno/detail/format_check.h"
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

}  // namespace

bool log_large(std::uint32_t slot, std::uint64_t word, const SiteEntry& site, const Wire* arguments) noexcept {
  const char* const types = site.types;
  if (!runtime::prepare_thread(slot)) {
    runtime::count_lost(slot);
    return false;
  }
  Piece pieces[kMaxArguments + 1] = {};  // one more for errno
  std::size_t count = 0;
  std::size_t payload = 0;
  std::size_t head = wire::kArgsOffset;
  for (; types[count] != '\0'; ++count) {
    const auto type = static_cast<ArgType>(types[count]);
    Piece& piece = pieces[count];
    head += fixed_size(type);
    piece.unit = unit_size(type);
    if (!is_string(type) || arguments[count].string.size == kNullBytes) continue;
    piece.null = false;
    piece.data = static_cast<const char*>(arguments[count].string.data);
    piece.size = piece.keep = arguments[count].string.size;
    payload += piece.size;
  }
  const std::size_t whole = std::min<std::size_t>(wire::kMaxRecordSize, (head + payload + 7) & ~std::size_t{7});
  const std::size_t most = runtime::largest_record(slot, whole);
  if (head + payload > most) {
    std::size_t marks = 0;
    for (std::size_t i = 0; i < count; ++i) marks += pieces[i].size != 0 ? kMarkRoom * pieces[i].unit : 0;
    const std::size_t limit = common_limit(pieces, count, most > head + marks ? most - head - marks : 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (pieces[i].size > limit) pieces[i].keep = whole_characters(pieces[i], limit);
    }
  }

  // Lengths first: the record is opened with its final size.
  char marks[kMaxArguments + 1][kMarkRoom * 4];
  std::size_t mark_sizes[kMaxArguments + 1] = {};
  payload = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].keep != pieces[i].size) mark_sizes[i] = make_mark(pieces[i], marks[i]);
    payload += pieces[i].keep + mark_sizes[i];
  }
  const std::size_t bytes = (head + payload + 7) & ~std::size_t{7};
  if (bytes > most) {  // too many marks for so small a ring
    runtime::count_discarded(slot);
    return false;
  }
  const LoggerSlot any(slot, 0);  // the word names the logger already
  const BegunRecord record = begin_record(any, site, word | static_cast<std::uint64_t>(bytes / 8) << 32, bytes);
  if (record.arguments == nullptr) return false;
  char* fixed = record.arguments;
  char* out = record.arguments + head - wire::kArgsOffset;
  for (std::size_t i = 0; i < count; ++i) {
    const Piece& piece = pieces[i];
    if (!is_string(static_cast<ArgType>(types[i]))) {
      std::memcpy(fixed, arguments[i].number, fixed_size(static_cast<ArgType>(types[i])));
    } else {
      const auto size = piece.null ? kNullString : static_cast<std::uint32_t>(piece.keep + mark_sizes[i]);
      std::memcpy(fixed, &size, 4);
      if (piece.keep != 0) std::memcpy(out, piece.data, piece.keep);
      std::memcpy(out + piece.keep, marks[i], mark_sizes[i]);
      out += piece.keep + mark_sizes[i];
    }
    fixed += fixed_size(static_cast<ArgType>(types[i]));
  }
  end_record(any, record, bytes);
  if (site.level >= Level::kWarn) notify_if(any.writer(), slot, site.level);
  return true;
}

}  // namespace steno::detail
