#include "format/strings/shown/column.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/digit_values.h"
#include "base/raw_vector.h"
#include "format/block.h"
#include "format/multiversion.h"
#include "format/strings/hex/column.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

constexpr std::array<char, 256> shown_bytes() {
  std::array<char, 256> shown{};
  for (unsigned byte = 0; byte < 256; ++byte) shown[byte] = shown_as(byte);
  return shown;
}

constexpr std::array<char, 256> kShown = shown_bytes();  // without a branch: nobody could guess it

// The bytes that a text has in digits, from the last to the first.
class BytesFromEnd {
 public:
  explicit BytesFromEnd(std::string_view text) : begin_(text.data()), at_(text.data() + text.size()) {}

  // False: there is none before.
  bool next(unsigned* byte) {
    if (at_ - begin_ >= 3) {  // mostly two digits and a blank, or two digits before others
      const unsigned last = kHexDigits[static_cast<std::uint8_t>(at_[-1])];
      const unsigned second = kHexDigits[static_cast<std::uint8_t>(at_[-2])];
      if ((last | second) < 16) {
        *byte = second << 4 | last;
        at_ -= 2 + (kHexDigits[static_cast<std::uint8_t>(at_[-3])] >> 7);
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
      const std::uint8_t digit = kHexDigits[static_cast<std::uint8_t>(*--at_)];
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
    out[count] = kShown[byte];
  }
  return true;
}

bool shows_bytes(std::string_view text, std::string_view characters) {
  BytesFromEnd bytes(text);
  unsigned byte;
  for (std::size_t i = characters.size(); i-- > 0;) {
    if (!bytes.next(&byte) || characters[i] != kShown[byte]) return false;
  }
  return true;
}

void append_shown(const ShownColumn& column, const StringContext& context, ByteBuffer& out) {
  out.put(static_cast<std::uint8_t>(CodecId::kShownBytes));
  out.put_varint(column.other);
  out.put_varint(column.tail.size());
  out.put_bytes(column.tail.data(), column.tail.size());
  StringContext fronts = context.part(kFrontsPart);
  fronts.shared = nullptr;
  append_sized_strings(column.fronts, encode_strings, fronts, out);
  append_sized_ints(column.characters, context.ints(), out);
}

namespace {

// Writes the character that each byte is shown as.
STENO_MULTIVERSION(void, show_all, (const std::uint8_t* bytes, std::size_t n, char* out), (bytes, n, out)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = shown_as(bytes[i]);
}

// Puts strings together, one after the other.
class ShownStrings {
 public:
  ShownStrings(std::span<const std::string_view> fronts, std::span<const std::uint64_t> counts, std::string_view tail)
      : fronts_(fronts), counts_(counts), tail_(tail) {}

  // Places all strings in the arena. False: damaged, or too much.
  [[nodiscard]] bool place_in(StringArena* arena) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < fronts_.size(); ++i) {
      const std::uint64_t count = counts_[i];
      if (count > kMostShown || (count != 0 && fronts_[i].data() == nullptr)) return false;
      bytes += fronts_[i].size() + (count == 0 ? 0 : count + tail_.size());
    }
    if (bytes > kMaxPayload) return false;
    arena->resize(bytes);
    p_ = reinterpret_cast<char*>(arena->data());
    return true;
  }
  // The next one. `show`: writes so many characters; false: there are not so many.
  template <class Show>
  [[nodiscard]] bool add(const Show& show, std::string_view* out) {
    const std::string_view front = fronts_[at_];
    const std::uint64_t count = counts_[at_++];
    if (front.data() == nullptr) {
      facts_.has_null = true;
      *out = std::string_view();
      return true;
    }
    char* const begin = p_;
    std::memcpy(p_, front.data(), front.size());
    p_ += front.size();
    if (count != 0) {
      if (!show(count, p_)) return false;
      std::memcpy(p_ + count, tail_.data(), tail_.size());
      p_ += count + tail_.size();
    }
    *out = std::string_view(begin, static_cast<std::size_t>(p_ - begin));
    facts_.longest = std::max(facts_.longest, static_cast<std::uint32_t>(out->size()));
    return true;
  }
  // Facts about the strings that were added, but for the bytes of fronts.
  StringFacts facts() const {
    StringFacts all = facts_;
    all.add(StringFacts::of({reinterpret_cast<const std::uint8_t*>(tail_.data()), tail_.size()}, true));
    return all;
  }

 private:
  std::span<const std::string_view> fronts_;
  std::span<const std::uint64_t> counts_;
  std::string_view tail_;
  std::size_t at_ = 0;
  char* p_ = nullptr;
  StringFacts facts_;
};

// The characters of strings whose digits are a column of hexadecimal strings, of nothing but bytes. False: damaged.
bool show_hex(const HexColumn& digits, ShownStrings* strings, std::string_view* out) {
  RawVector<char> shown(digits.bytes().size());
  show_all(digits.bytes().data(), shown.size(), shown.data());
  const char* at = shown.data();
  bool good = true;
  digits.for_each_row([&](std::size_t i, const HexColumn::Row& row) {
    const auto show = [&](std::size_t count, char* p) {
      if (row.other != nullptr) return show_bytes(*row.other, count, p);
      if (count > row.count) return false;
      row.same ? std::memset(p, *at, count) : std::memcpy(p, at + (row.count - count), count);
      return true;
    };
    good = good && strings->add(show, out + i);
    at += row.bytes_taken();
  });
  return good;
}

// Reads a column of digits if it has hexadecimal strings whose layout has no digits besides those of the bytes. False:
// nothing is known of it.
bool read_hex(std::span<const std::uint8_t> column, std::size_t n, const StringPlace& place, HexColumn* hex) {
  ByteReader in(column.data(), column.size());
  const StringCodec* const codec = open_string_codec(in, place.within);
  if (codec != &kHexStringCodec) return false;
  return hex->read(in, place) && in.at_end() && hex->layout().has_only_bytes() && hex->read_rows(n);
}

}  // namespace

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
  HexColumn hex;
  const std::span<const std::uint8_t> digits = other != 0 ? columns[other - 1] : front_bytes;
  const bool is_hex = read_hex(digits, n, place, &hex);
  if (is_hex && other == 0) {
    fronts.resize(n);
    hex.put_together(&front_arena, fronts.data());
  } else if (!decode_sized_strings(front_bytes, n, place, &front_arena, &fronts)) {
    return false;
  }
  if (!is_hex && other != 0 && !decode_sized_strings(digits, n, place, &other_arena, &others)) return false;
  if (!decode_sized_ints(count_bytes, n, kTypeU32, &counts)) return false;
  ShownStrings strings(fronts, counts, tail);
  if (!strings.place_in(arena)) return false;
  if (is_hex) {
    if (!show_hex(hex, &strings, out)) return false;
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view text = other != 0 ? others[i] : fronts[i];
      if (!strings.add([&](std::size_t count, char* p) { return show_bytes(text, count, p); }, out + i)) return false;
    }
  }
  StringFacts facts = front_arena.facts();
  facts.add(strings.facts());
  facts.has_slack = true;
  arena->add(facts);
  return true;
}

}  // namespace steno::format
