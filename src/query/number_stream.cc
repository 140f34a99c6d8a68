#include "query/number_stream.h"

#include <algorithm>

#include "format/codecs/int_codec.h"
#include "format/codecs/mini_block.h"
#include "text/number.h"

namespace steno::query {
namespace {

using format::CodecId;
using format::kMiniBlock;

double wide_number(ArgType type, const std::uint8_t* bytes) {
  text::Value value;
  value.type = type;
  value.wide = bytes;
  if (type == ArgType::kF80 || type == ArgType::kF128) return static_cast<double>(text::to_long_double(value));
  const text::UInt128 bits = text::to_uint128(value);
  return type == ArgType::kI128 ? static_cast<double>(static_cast<text::Int128>(bits)) : static_cast<double>(bits);
}

}  // namespace

NumberStream::NumberStream(BlockView& view, std::size_t group, std::size_t column, NumberKind kind)
    : view_(view),
      group_(group),
      column_(column),
      type_(view.type_of(group, column)),
      kind_(kind),
      count_(view.groups()[group].records) {
  const std::span<const std::uint8_t> bytes = view.data().column_bytes(group, column);
  if (bytes.empty() || count_ < format::kShortColumn || fixed_size(type_) > 8 || view.tells_of_drops(group) ||
      view.has_ints(group, column)) {
    return;
  }
  in_ = ByteReader(bytes.data(), bytes.size());
  const auto codec = static_cast<CodecId>(in_.get<std::uint8_t>());
  if (codec == CodecId::kFrameOfReference) way_ = Way::kFrames;
  if (codec == CodecId::kDelta) way_ = Way::kDeltas;
  const format::IntType type = format::IntType::of(type_);
  if (count_ >= format::kZonedColumn && !type.is_float) in_.take(2 * std::size_t{type.bytes});
  if (way_ != Way::kWhole) divisor_ = in_.get_varint();
}

const std::uint64_t* NumberStream::next(std::size_t* n) {
  if (at_ >= count_) return nullptr;
  if (way_ != Way::kWhole) {
    *n = std::min(kMiniBlock, count_ - at_);
    if (!next_mini_block(*n)) {
      (void)view_.ints(group_, column_);  // says what is wrong
      at_ = count_;
      return nullptr;
    }
    at_ += *n;
    convert(values_, *n);
    return values_;
  }
  at_ = count_;
  *n = count_;
  if (fixed_size(type_) == 16) {
    const std::span<const std::uint8_t> bytes = view_.wide(group_, column_);
    converted_.resize(bytes.size() / 16);
    for (std::size_t i = 0; i < converted_.size(); ++i) {
      converted_[i] = std::bit_cast<std::uint64_t>(wide_number(type_, bytes.data() + i * 16));
    }
    return converted_.size() == count_ ? converted_.data() : nullptr;
  }
  const std::span<const std::uint64_t> ints = view_.ints(group_, column_);
  if (ints.size() != count_) return nullptr;
  if (kind_ != NumberKind::kReal || type_ == ArgType::kF64) return ints.data();
  converted_.assign(ints.begin(), ints.end());
  convert(converted_.data(), count_);
  return converted_.data();
}

bool NumberStream::next_mini_block(std::size_t n) {
  if (way_ == Way::kDeltas) start_ += static_cast<std::uint64_t>(in_.get_signed_varint());
  if (!format::decode_mini_block(in_, n, divisor_, &previous_base_, values_)) return false;
  if (way_ == Way::kDeltas) {
    std::uint64_t value = start_;
    values_[0] = value;
    for (std::size_t i = 1; i < n; ++i) values_[i] = value += values_[i];
  }
  const format::IntType type = format::IntType::of(type_);
  if (type.bytes == 8) return true;
  const unsigned unused = 64 - 8 * type.bytes;  // sums are right modulo the type's width only
  if (type.is_signed) {
    for (std::size_t i = 0; i < n; ++i) {
      values_[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(values_[i] << unused) >> unused);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) values_[i] = values_[i] << unused >> unused;
  }
  return true;
}

// From what columns hold to binary64, if that is wanted.
void NumberStream::convert(std::uint64_t* values, std::size_t n) const {
  if (kind_ != NumberKind::kReal || type_ == ArgType::kF64) return;
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
