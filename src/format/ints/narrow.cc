#include "format/ints/narrow.h"

#include <algorithm>
#include <cassert>

#include "format/ints/column.h"

namespace steno::format {
namespace {

// Steps and factors that are no greater cannot overflow within a mini-block.
constexpr std::uint64_t kGreatStep = std::uint64_t{1} << 40;
constexpr std::uint64_t kGreatFactor = std::uint64_t{1} << 16;

std::uint32_t greatest_of(const std::uint32_t* values, std::size_t n) {
  if (n < kMiniBlock) return *std::max_element(values, values + n);
  std::uint32_t low[kLanes];
  std::uint32_t high[kLanes];
  lane_extents(values, 0, low, high);
  return *std::max_element(high, high + kLanes);
}

}  // namespace

bool NarrowInts::open(const ByteReader& in, IntType type, std::size_t n) {
  in_ = in;
  left_ = n;
  type_ = type;
  base_ = start_ = 0;
  const auto codec = static_cast<CodecId>(in_.get<std::uint8_t>());
  deltas_ = codec == CodecId::kDelta;
  if ((!deltas_ && codec != CodecId::kFrameOfReference) || n < kZonedColumn) return false;
  if (!read_zone(in, type, n, &zone_) || zone_.least > zone_.greatest || zone_.greatest > UINT32_MAX) return false;
  in_.take(2 * std::size_t{type.bytes});
  divisor_ = in_.get_varint();
  return in_.ok();
}

bool NarrowInts::next(std::size_t count, std::uint32_t* out) {
  assert(count <= left_);
  left_ -= count;
  alignas(64) std::uint32_t last[kMiniBlock];
  for (std::size_t at = 0; at < count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, count - at);
    std::uint32_t* const values = n == kMiniBlock ? out + at : last;
    if (!(deltas_ ? next_deltas(n, values) : next_frame(n, values))) return false;
    if (values == last) std::copy_n(last, n, out + at);
  }
  return true;
}

// Numbers that only lie in the zone modulo the width of their type are left to who reads the column as a whole.
bool NarrowInts::next_frame(std::size_t n, std::uint32_t* out) {
  MiniOffsets block;
  if (decode_mini_offsets(in_, n, divisor_, &base_, &block) != OffsetsResult::kRead) return false;
  if (base_ < zone_.least || base_ > zone_.greatest || block.factor > UINT32_MAX) return false;
  if (greatest_of(block.offsets, n) * block.factor > zone_.greatest - base_) return false;
  if (block.factor == 1) {
    subtract(block.offsets, 0 - static_cast<std::uint32_t>(base_), out);
    return true;
  }
  const auto base = static_cast<std::uint32_t>(base_);
  const auto factor = static_cast<std::uint32_t>(block.factor);
  for (std::size_t i = 0; i < n; ++i) out[i] = base + block.offsets[i] * factor;
  return true;
}

bool NarrowInts::next_deltas(std::size_t n, std::uint32_t* out) {
  start_ += static_cast<std::uint64_t>(in_.get_signed_varint());
  MiniOffsets steps;
  if (decode_mini_offsets(in_, n, divisor_, &base_, &steps) != OffsetsResult::kRead) return false;
  std::uint64_t value = start_;
  std::uint64_t least = value;
  std::uint64_t greatest = value;
  out[0] = static_cast<std::uint32_t>(value);
  for (std::size_t i = 1; i < n; ++i) {
    value += steps.base + steps.offsets[i] * steps.factor;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    out[i] = static_cast<std::uint32_t>(value);
  }
  return least >= zone_.least && greatest <= zone_.greatest;
}

bool NarrowInts::skip(std::size_t count, std::uint64_t span, Zone* bounds) {
  assert(count <= left_);
  left_ -= count;
  std::int64_t low = INT64_MAX;
  std::int64_t high = INT64_MIN;
  for (std::size_t at = 0; at < count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, count - at);
    if (deltas_) start_ += static_cast<std::uint64_t>(in_.get_signed_varint());
    MiniOffsets block;
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    if (skip_mini_offsets(in_, n, divisor_, &base_, &block) != OffsetsResult::kRead) return false;
    if (!extent_of(block, n, &least, &greatest)) return false;
    low = std::min(low, least);
    high = std::max(high, greatest);
    if (static_cast<std::uint64_t>(high - low) >= span) return false;
  }
  *bounds = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
  return low >= 0 && type_.extend(bounds->greatest) == bounds->greatest;  // else modulo the type's width
}

// The least and the greatest that values of a mini-block can be. False: with its steps they may leave 64 bits.
bool NarrowInts::extent_of(const MiniOffsets& block, std::size_t n, std::int64_t* least, std::int64_t* greatest) const {
  if (block.factor >= kGreatFactor) return false;
  const auto most = static_cast<std::int64_t>(((std::uint64_t{1} << block.width) - 1) * block.factor);
  const auto base = static_cast<std::int64_t>(block.base);
  if (block.base + kGreatStep > 2 * kGreatStep) return false;
  if (!deltas_) {
    *least = base;
    *greatest = base + most;
    return true;
  }
  if (start_ > UINT32_MAX) return false;
  const auto start = static_cast<std::int64_t>(start_);
  const auto steps = static_cast<std::int64_t>(n - 1);
  *least = start + steps * std::min<std::int64_t>(base, 0);
  *greatest = start + steps * std::max<std::int64_t>(base + most, 0);
  return true;
}

}  // namespace steno::format
