#include "format/strings/hex/column.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/digit_values.h"
#include "format/block.h"
#include "format/multiversion.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

constexpr IntType kTypeU8{1, false};

// The two digits of each byte.
using DigitPairs = std::array<std::array<char, 2>, 256>;

constexpr DigitPairs digit_pairs(std::string_view digits) {
  DigitPairs pairs{};
  for (unsigned byte = 0; byte < 256; ++byte) pairs[byte] = {digits[byte >> 4], digits[byte & 15]};
  return pairs;
}

constexpr DigitPairs kLowerPairs = digit_pairs("0123456789abcdef");
constexpr DigitPairs kUpperPairs = digit_pairs("0123456789ABCDEF");
bool is_digit(char c) {
  return kHexDigits[static_cast<std::uint8_t>(c)] != kNoDigit;
}

// How many bytes are not in the zone, which is of a byte each.
STENO_MULTIVERSION(std::size_t, count_outside,
                   (const std::uint8_t* bytes, std::size_t n, std::uint8_t least, std::uint8_t greatest),
                   (bytes, n, least, greatest)) {
  std::size_t outside = 0;
  for (std::size_t i = 0; i < n; ++i) outside += bytes[i] < least || bytes[i] > greatest ? 1 : 0;
  return outside;
}

void narrow(const std::uint64_t* values, std::size_t n, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(values[i]);
}

}  // namespace

bool HexLayout::set(std::string_view text, std::span<const std::uint16_t> places, bool upper) {
  if (places.empty() || text.size() > kMaxHexLayout) return false;
  std::size_t end = 0;
  for (const std::uint16_t place : places) {
    if (place < end || place + 2u > text.size()) return false;
    end = place + 2u;
  }
  upper_ = upper;
  places_.assign(places.begin(), places.end());
  padded_.assign(text);
  bytes_before_.assign(text.size() + 1, 0);
  for (const std::uint16_t place : places_) {
    padded_[place] = padded_[place + 1u] = 'x';
    bytes_before_[place + 2u] = 1;
  }
  has_only_bytes_ = std::none_of(padded_.begin(), padded_.end(), is_digit);
  std::partial_sum(bytes_before_.begin(), bytes_before_.end(), bytes_before_.begin());
  for (const std::uint16_t place : places_) {
    padded_[place] = padded_[place + 1u] = '0';
    bytes_before_[place + 1u] = kBetween;
  }
  padded_.append(kStringSlack, ' ');
  return true;
}

bool HexLayout::read(ByteReader& in) {
  const auto letters = in.get<std::uint8_t>();
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || letters > 1 || count == 0 || count > kMaxHexLayout / 2) return false;
  std::string text;
  std::vector<std::uint16_t> places;
  for (std::uint64_t k = 0; k <= count; ++k) {
    const std::uint64_t size = in.get_varint();
    const std::uint8_t* const bytes = in.take(size);
    if (bytes == nullptr || text.size() + size > kMaxHexLayout) return false;
    text.append(reinterpret_cast<const char*>(bytes), size);
    if (k == count) break;
    places.push_back(static_cast<std::uint16_t>(text.size()));
    text += "00";
  }
  return set(text, places, letters != 0);
}

void HexLayout::append(ByteBuffer& out) const {
  out.put(static_cast<std::uint8_t>(upper_ ? 1 : 0));
  out.put_varint(places_.size());
  std::size_t end = 0;
  const auto put = [&](std::size_t begin, std::size_t next) {
    out.put_varint(begin - end);
    out.put_bytes(padded_.data() + end, begin - end);
    end = next;
  };
  for (const std::uint16_t place : places_) put(place, place + 2u);
  put(text().size(), 0);
}

bool HexLayout::may_contain(std::string_view part) const {
  const auto& digits = upper_ ? kUpperHexDigits : kLowerHexDigits;
  const std::string_view whole = text();
  for (std::size_t at = 0; at + part.size() <= whole.size(); ++at) {
    std::size_t i = 0;
    std::size_t k = bytes_before_[at] != kBetween ? bytes_before_[at] : bytes_before_[at - 1];
    for (; i < part.size(); ++i) {
      while (k < places_.size() && places_[k] + 2u <= at + i) ++k;
      const bool digit = k < places_.size() && places_[k] <= at + i;
      const char c = part[i];
      if (digit ? digits[static_cast<std::uint8_t>(c)] == kNoDigit : c != whole[at + i]) break;
    }
    if (i == part.size()) return true;
  }
  return false;
}

void append_hex(const HexLayout& layout, const HexRows& rows, const StringContext& context, ByteBuffer& out) {
  layout.append(out);
  append_sized_ints(rows.codes, context.ints(), out);
  out.put_varint(rows.bytes.size());
  append_sized_ints(IntSource::array(rows.bytes.data(), rows.bytes.size(), kTypeU8), IntHint::kAny, context.ints(),
                    out);
  out.put_varint(rows.others.size());
  append_sized_strings(rows.others, encode_strings, context.inside(CodecId::kHexStrings).part(kOthersPart), out);
}

bool HexColumn::read(ByteReader& in, const StringPlace& place) {
  if (!layout_.read(in)) return false;
  inside_ = place.inside(CodecId::kHexStrings);
  code_bytes_ = read_sized(in);
  byte_count_ = in.get_varint();
  byte_column_ = read_sized(in);
  other_count_ = in.get_varint();
  other_column_ = read_sized(in);
  return in.ok() && byte_count_ <= kMaxPayload;
}

// Mostly they lie there as they are.
bool HexColumn::read_bytes(std::size_t count) {
  bytes_ = nullptr;
  if (count == 0) return byte_column_.empty();
  ByteReader in(byte_column_.data(), byte_column_.size());
  if (count >= kZonedColumn && static_cast<CodecId>(in.get<std::uint8_t>()) == CodecId::kRaw) {
    const auto least = in.get<std::uint8_t>();
    const auto greatest = in.get<std::uint8_t>();
    bytes_ = in.take(count);
    return bytes_ != nullptr && in.at_end() && count_outside(bytes_, count, least, greatest) == 0;
  }
  RawVector<std::uint64_t> values;
  if (!decode_sized_ints(byte_column_, count, kTypeU8, &values)) return false;
  resize_anew(narrow_, count);
  narrow(values.data(), count, narrow_.data());
  bytes_ = narrow_.data();
  return true;
}

bool HexColumn::read_rows(std::size_t n) {
  if (other_count_ > n || !decode_sized_ints(code_bytes_, n, kTypeU32, &codes_)) return false;
  const std::size_t most = layout_.text().size();
  std::size_t others = 0;
  std::size_t bytes = 0;
  total_ = 0;
  for (const std::uint64_t code : codes_) {
    if (code == kOtherHexRow) {
      ++others;
      continue;
    }
    const std::uint64_t length = (code - 1) >> 1;
    const bool same = ((code - 1) & 1) != 0;
    if (length > most || !layout_.may_end_at(length)) return false;
    const std::size_t count = layout_.bytes_before(length);
    if (same && count == 0) return false;
    bytes += same ? 1 : count;
    total_ += length;  // small, as n is: no overflow
  }
  if (others != other_count_ || bytes != byte_count_ || total_ > kMaxPayload || !read_bytes(bytes)) return false;
  if (!decode_sized_strings(other_column_, others, inside_, &other_arena_, &others_)) return false;
  for (const std::string_view other : others_) total_ += other.size();
  return total_ <= kMaxPayload;
}

void HexColumn::put_together(StringArena* arena, std::string_view* out) const {
  const DigitPairs& pairs = layout_.upper() ? kUpperPairs : kLowerPairs;
  const char* const text = layout_.text().data();
  const std::uint16_t* const places = layout_.places().data();
  arena->resize(total_);
  auto* p = reinterpret_cast<char*>(arena->data());
  StringFacts facts = StringFacts::of({reinterpret_cast<const std::uint8_t*>(text), layout_.text().size()}, true);
  if (!others_.empty()) facts.add(other_arena_.facts());
  facts.has_slack = true;
  std::size_t longest = facts.longest;
  for_each_row([&](std::size_t i, const Row& row) {
    if (row.other != nullptr) {
      if (row.other->data() == nullptr) {
        out[i] = std::string_view();
        return;
      }
      std::memcpy(p, row.other->data(), row.other->size());
      out[i] = {p, row.other->size()};
    } else {
      for (std::size_t at = 0; at < row.length; at += kStringSlack) std::memcpy(p + at, text + at, kStringSlack);
      if (!row.same) {
        for (std::size_t k = 0; k < row.count; ++k) std::memcpy(p + places[k], pairs[row.bytes[k]].data(), 2);
      } else if (*row.bytes != 0) {
        for (std::size_t k = 0; k < row.count; ++k) std::memcpy(p + places[k], pairs[*row.bytes].data(), 2);
      }
      out[i] = {p, row.length};
      longest = std::max(longest, row.length);
    }
    p += out[i].size();
  });
  facts.longest = static_cast<std::uint32_t>(longest);
  arena->add(facts);
}

std::size_t HexColumn::bytes_held() const {
  return codes_.capacity() * sizeof(std::uint64_t) + narrow_.capacity() + other_arena_.capacity() +
         others_.capacity() * sizeof(std::string_view);
}

}  // namespace steno::format
