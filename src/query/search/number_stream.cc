#include "query/search/number_stream.h"

#include <algorithm>
#include <array>

#include "format/ints/codec.h"
#include "query/search/kernels.h"
#include "text/number.h"

namespace steno::query {
namespace {

using format::CodecId;
using format::kMiniBlock;
using format::OffsetsResult;
using text::Int128;

constexpr std::array<std::uint32_t, kMiniBlock> kCounting = [] {
  std::array<std::uint32_t, kMiniBlock> counting{};
  for (std::uint32_t i = 0; i < kMiniBlock; ++i) counting[i] = i;
  return counting;
}();

double wide_number(ArgType type, const std::uint8_t* bytes) {
  text::Value value;
  value.type = type;
  value.wide = bytes;
  if (type == ArgType::kF80 || type == ArgType::kF128) return static_cast<double>(text::to_long_double(value));
  const text::UInt128 bits = text::to_uint128(value);
  return type == ArgType::kI128 ? static_cast<double>(static_cast<Int128>(bits)) : static_cast<double>(bits);
}

Int128 widened(std::uint64_t value, bool is_signed) {
  return is_signed ? Int128{static_cast<std::int64_t>(value)} : static_cast<Int128>(value);
}

}  // namespace

bool offsets_between(const Numbers& numbers, std::uint64_t flip, std::uint64_t least, std::uint64_t greatest,
                     std::uint32_t* low, std::uint32_t* high) {
  const std::uint64_t base = numbers.base ^ flip;  // keys keep distances: offset 0 is the least of all
  if (greatest < base) return false;
  const std::uint64_t from = least > base ? (least - base + (numbers.factor - 1)) / numbers.factor : 0;
  const std::uint64_t to = (greatest - base) / numbers.factor;
  if (from > UINT32_MAX || from > to) return false;
  *low = static_cast<std::uint32_t>(from);
  *high = static_cast<std::uint32_t>(std::min<std::uint64_t>(to, UINT32_MAX));
  return true;
}

NumberStream::NumberStream(BlockView& view, std::size_t group, std::size_t column, NumberKind kind)
    : view_(view),
      group_(group),
      column_(column),
      type_(view.type_of(group, column)),
      kind_(kind),
      count_(view.groups()[group].records) {
  const std::span<const std::uint8_t> bytes = view.data().column_bytes(group, column);
  if (bytes.empty() || count_ < format::kShortColumn || fixed_size(type_) > 8 || is_string(type_) ||
      view.reports_drops(group) || view.has_ints(group, column)) {
    return;
  }
  in_ = ByteReader(bytes.data(), bytes.size());
  const auto codec = static_cast<CodecId>(in_.get<std::uint8_t>());
  if (codec == CodecId::kFrameOfReference) way_ = Way::kFrames;
  if (codec == CodecId::kDelta) way_ = Way::kDeltas;
  const format::IntType type = format::IntType::of(type_);
  zoned_ = format::read_zone(ByteReader(bytes.data(), bytes.size()), type, count_, &zone_);
  flip_ = format::order_flip<std::uint64_t>(type);
  if (zoned_) in_.take(2 * std::size_t{type.bytes});
  if (way_ != Way::kWhole) divisor_ = in_.get_varint();
}

bool NumberStream::next(Numbers* numbers) {
  if (at_ >= count_) return false;
  *numbers = Numbers();
  if (way_ == Way::kWhole ? next_whole(numbers) : next_mini_block(numbers)) {
    at_ += numbers->n;
    if (way_ == Way::kWhole || at_ < count_ || in_.at_end()) return true;
  }
  if (way_ != Way::kWhole) (void)view_.ints(group_, column_);  // says what is wrong
  at_ = count_;
  return false;
}

bool NumberStream::next_whole(Numbers* numbers) {
  numbers->n = std::min(kMiniBlock, count_ - at_);
  numbers->values = values_;
  if (fixed_size(type_) == 16) {
    const std::span<const std::uint8_t> bytes = view_.wide(group_, column_);
    if (bytes.size() != count_ * 16) return false;
    for (std::size_t i = 0; i < numbers->n; ++i) {
      values_[i] = std::bit_cast<std::uint64_t>(wide_number(type_, bytes.data() + (at_ + i) * 16));
    }
    return true;
  }
  const std::span<const std::uint64_t> ints = view_.ints(group_, column_);
  if (ints.size() != count_) return false;
  if (kind_ != NumberKind::kReal || type_ == ArgType::kF64) {
    numbers->values = ints.data() + at_;
    return true;
  }
  std::copy_n(ints.data() + at_, numbers->n, values_);
  convert(values_, numbers->n);
  return true;
}

// Returns whether all of base + 0 .. last * factor are values of the type: then the numbers may stay packed.
bool NumberStream::packed(std::size_t n, std::uint64_t last, Numbers* numbers) {
  const format::IntType type = format::IntType::of(type_);
  const std::uint64_t base = offsets_.base;
  if (kind_ == NumberKind::kReal || type.extend(base) != base || offsets_.factor == 0 || offsets_.factor >> 32 != 0) {
    return false;
  }
  const Int128 greatest = widened(base, type.is_signed) + static_cast<Int128>(last) * offsets_.factor;
  const unsigned bits = 8u * type.bytes - (type.is_signed ? 1 : 0);
  if (greatest >= Int128{1} << bits) return false;
  numbers->n = n;
  numbers->offsets = offsets_.offsets;
  numbers->base = base;
  numbers->factor = offsets_.factor;
  return true;
}

bool NumberStream::next_mini_block(Numbers* numbers) {
  const std::size_t n = std::min(kMiniBlock, count_ - at_);
  if (way_ == Way::kDeltas) start_ += static_cast<std::uint64_t>(in_.get_signed_varint());
  switch (format::decode_mini_offsets(in_, n, divisor_, &previous_base_, &offsets_)) {
    case OffsetsResult::kDamaged:
      return false;
    case OffsetsResult::kOther:
      if (!format::decode_mini_block(in_, n, divisor_, &previous_base_, values_)) return false;
      break;
    case OffsetsResult::kRead: {
      if (way_ == Way::kDeltas && offsets_.width == 0) {  // equal steps
        const std::uint64_t step = offsets_.base;
        offsets_.base = start_;
        offsets_.factor = step;
        const bool fits = step == 0 ? false : packed(n, n - 1, numbers);
        offsets_.base = step;
        offsets_.factor = 1;
        if (fits) {
          numbers->offsets = kCounting.data();
          return in_zone(*numbers, n - 1);
        }
      } else if (way_ == Way::kFrames) {
        const std::uint64_t most = (std::uint64_t{1} << offsets_.width) - 1;
        if (packed(n, most, numbers) && in_zone(*numbers, most)) return true;
        std::uint32_t least = UINT32_MAX;
        std::uint32_t greatest = 0;
        extremes_of(offsets_.offsets, n, &least, &greatest);
        if (packed(n, greatest, numbers) && in_zone(*numbers, greatest)) return true;
      }
      for (std::size_t i = 0; i < n; ++i) values_[i] = offsets_.base + offsets_.offsets[i] * offsets_.factor;
      break;
    }
  }
  if (way_ == Way::kDeltas) {
    std::uint64_t value = start_;
    values_[0] = value;
    for (std::size_t i = 1; i < n; ++i) values_[i] = value += values_[i];
  }
  cut_to_type(n);
  if (!in_zone(values_, n)) return false;
  convert(values_, n);
  numbers->n = n;
  numbers->offsets = nullptr;
  numbers->values = values_;
  return true;
}

// Returns whether base + 0 .. last * factor, which are values of the type, lie in the zone that the column states.
bool NumberStream::in_zone(const Numbers& numbers, std::uint64_t last) const {
  if (!zoned_) return true;
  const std::uint64_t least = numbers.base ^ flip_;  // keys keep distances
  return least >= (zone_.least ^ flip_) && least + last * numbers.factor <= (zone_.greatest ^ flip_);
}

bool NumberStream::in_zone(const std::uint64_t* values, std::size_t n) const {
  if (!zoned_) return true;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t greatest = 0;
  extremes_of(values, n, flip_, &least, &greatest);
  return least >= (zone_.least ^ flip_) && greatest <= (zone_.greatest ^ flip_);
}

// Sums are right modulo the type's width only.
void NumberStream::cut_to_type(std::size_t n) {
  const format::IntType type = format::IntType::of(type_);
  if (type.bytes == 8) return;
  for (std::size_t i = 0; i < n; ++i) values_[i] = type.extend(values_[i]);
}

// From what columns hold to binary64, if that is wanted.
void NumberStream::convert(std::uint64_t* values, std::size_t n) const {
  if (kind_ != NumberKind::kReal || type_ == ArgType::kF64 || fixed_size(type_) == 16) return;
  for (std::size_t i = 0; i < n; ++i) {
    double value;
    if (type_ == ArgType::kF32) {
      value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(values[i])));
    } else if (is_signed_integer(type_)) {
      value = static_cast<double>(static_cast<std::int64_t>(values[i]));
    } else {
      value = static_cast<double>(values[i]);
    }
    values[i] = std::bit_cast<std::uint64_t>(value);
  }
}

}  // namespace steno::query
