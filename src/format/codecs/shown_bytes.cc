#include "format/codecs/shown_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/digit_values.h"
#include "base/raw_vector.h"
#include "format/block.h"
#include "format/codecs/sized_part.h"

namespace steno::format {
namespace {

constexpr std::array<std::uint8_t, 256> kDigits = digit_values("aA");

// The bytes that a text has in digits, from the last to the first.
class BytesFromEnd {
 public:
  explicit BytesFromEnd(std::string_view text) : begin_(text.data()), at_(text.data() + text.size()) {}

  // False: there is none before.
  bool next(unsigned* byte) {
    if (at_ - begin_ >= 3) {  // mostly two digits and a blank, or two digits before others
      const unsigned last = kDigits[static_cast<std::uint8_t>(at_[-1])];
      const unsigned second = kDigits[static_cast<std::uint8_t>(at_[-2])];
      if ((last | second) < 16) {
        *byte = second << 4 | last;
        at_ -= 2 + (kDigits[static_cast<std::uint8_t>(at_[-3])] >> 7);
        return true;
      }
    }
    const unsigned low = next_digit();
    const unsigned high = next_digit();
    *byte = high << 4 | low;
    return high != kNoDigit;
  }

 private:
  unsigned next_digit() {
    while (at_ != begin_) {
      const std::uint8_t digit = kDigits[static_cast<std::uint8_t>(*--at_)];
      if (digit != kNoDigit) return digit;
    }
    return kNoDigit;
  }

  const char* begin_;
  const char* at_;
};

}  // namespace

bool show_bytes(std::string_view text, std::size_t count, char* out) {
  BytesFromEnd bytes(text);
  unsigned byte;
  while (count-- > 0) {
    if (!bytes.next(&byte)) return false;
    out[count] = shown_as(byte);
  }
  return true;
}

bool shows_bytes(std::string_view text, std::string_view characters) {
  BytesFromEnd bytes(text);
  unsigned byte;
  for (std::size_t i = characters.size(); i-- > 0;) {
    if (!bytes.next(&byte) || characters[i] != shown_as(byte)) return false;
  }
  return true;
}

void append_shown(const ShownColumn& column, StringScratch& scratch, ByteBuffer& out) {
  out.put(static_cast<std::uint8_t>(CodecId::kShownBytes));
  out.put_varint(column.other);
  out.put_varint(column.tail.size());
  out.put_bytes(column.tail.data(), column.tail.size());
  SharedColumn* const shared = std::exchange(scratch.shared, nullptr);
  append_sized_part(column.fronts, kFrontsPart, encode_strings, scratch, out);
  scratch.shared = shared;
  append_sized_ints(column.characters, *scratch.ints, out);
}

bool read_shown(std::span<const std::span<const std::uint8_t>> columns, std::size_t own, std::size_t n,
                const StringPlace& place, StringArena* arena, std::string_view* out) {
  ByteReader in(columns[own].data(), columns[own].size());
  in.take(1);
  const std::uint64_t other = in.get_varint();
  const std::uint64_t tail_size = in.get_varint();
  if (!in.ok() || other > columns.size() || other == own + 1 || tail_size > kMostShownTail) return false;
  const std::uint8_t* const tail_bytes = in.take(tail_size);
  const std::span<const std::uint8_t> front_bytes = read_sized(in);
  const std::span<const std::uint8_t> count_bytes = read_sized(in);
  if (!in.ok() || !in.at_end()) return false;
  const std::string_view tail(reinterpret_cast<const char*>(tail_bytes), tail_size);
  StringArena front_arena;
  StringArena other_arena;
  RawVector<std::string_view> fronts;
  RawVector<std::string_view> others;
  RawVector<std::uint64_t> counts;
  if (!decode_sized_strings(front_bytes, n, place, &front_arena, &fronts)) return false;
  if (other != 0 && !decode_sized_strings(columns[other - 1], n, place, &other_arena, &others)) return false;
  if (!decode_sized_ints(count_bytes, n, kTypeU32, &counts)) return false;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t count = counts[i];
    if (count > kMostShown || (count != 0 && fronts[i].data() == nullptr)) return false;
    bytes += fronts[i].size() + (count == 0 ? 0 : count + tail_size);
  }
  if (bytes > kMaxPayload) return false;
  arena->resize(bytes);
  auto* p = reinterpret_cast<char*>(arena->data());
  StringFacts facts = front_arena.facts();
  facts.add(StringFacts::of({tail_bytes, tail_size}, true));
  facts.has_slack = true;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view front = fronts[i];
    if (front.data() == nullptr) {
      facts.has_null = true;
      out[i] = std::string_view();
      continue;
    }
    char* const begin = p;
    std::memcpy(p, front.data(), front.size());
    p += front.size();
    if (const std::uint64_t count = counts[i]; count != 0) {
      if (!show_bytes(other != 0 ? others[i] : front, count, p)) return false;
      std::memcpy(p + count, tail.data(), tail_size);
      p += count + tail_size;
    }
    out[i] = std::string_view(begin, static_cast<std::size_t>(p - begin));
    facts.longest = std::max(facts.longest, static_cast<std::uint32_t>(out[i].size()));
  }
  arena->add(facts);
  return true;
}

}  // namespace steno::format
