// delta: mini-blocks of the differences (file.md §9.1). Each starts from a value of its own, so that it stands alone.
#include <algorithm>

#include "format/ints/codec.h"

namespace steno::format {
namespace {

constexpr std::size_t kStartBytes = 3;  // a mini-block's start, about

template <class Lane>
constexpr Lane kSignBit = static_cast<Lane>(Lane{1} << (sizeof(Lane) * 8 - 1));

// d[0] and what is after the last value repeat a difference that is there, so that they widen nothing.
template <class Lane>
void padded_differences(const Lane* values, std::size_t n, Lane* d) {
  differences(values, d);
  if (n > 1) std::fill(d + n, d + kMiniBlock, d[n - 1]);
}

template <class Lane>
std::size_t estimate_as(const IntSample& sample, const Lane (*windows)[kMiniBlock], IntScratch& scratch) {
  std::size_t bytes = 0;
  alignas(64) Lane d[kMiniBlock];
  for (std::size_t k = 0; k < sample.windows; ++k) {
    padded_differences(windows[k], sample.sizes[k], d);
    bytes += kStartBytes + scratch.mini_block.plan(d, sample.sizes[k], kSignBit<Lane>, sample.of_deltas);
  }
  return sample.scale(bytes);
}

std::size_t estimate(const IntSample& sample, IntScratch& scratch) {
  if (sample.type.is_float) return kNoFit;
  return sample.type.is_narrow() ? estimate_as(sample, sample.narrow, scratch)
                                 : estimate_as(sample, sample.wide, scratch);
}

// Least and greatest of `values`, whose planned differences often say that they are the first and the last.
template <class Lane>
Zone extent_of(const Lane* values, std::size_t n, IntType type, const MiniBlockEncoder& differences) {
  const auto flip = order_flip<Lane>(type);
  constexpr std::int64_t kNoOverflow = std::int64_t{1} << 54;  // of up to 256 differences
  const auto least_step = static_cast<std::int64_t>(differences.least());
  const auto greatest_step = static_cast<std::int64_t>(differences.greatest());
  const Lane last = values[n - 1];
  if (least_step >= 0 && greatest_step < kNoOverflow && (values[0] ^ flip) <= (last ^ flip)) {
    return {type.extend(values[0]), type.extend(last)};
  }
  Lane low[kLanes];
  Lane high[kLanes];
  lane_extents(values, flip, low, high);
  return {type.extend(*std::min_element(low, low + kLanes) ^ flip),
          type.extend(*std::max_element(high, high + kLanes) ^ flip)};
}

template <class Lane>
bool encode_as(const IntSource& source, const Divisor& divisor, IntScratch& scratch, Zone* zone, ByteBuffer& out) {
  const IntType type = source.type;
  std::uint64_t previous_start = 0;
  std::uint64_t previous_base = 0;
  alignas(64) Lane scratch_values[kMiniBlock];
  alignas(64) Lane d[kMiniBlock];
  out.put_varint(divisor.value);
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, source.count - at);
    const Lane* values = mini_block_of(source, at, n, scratch_values);
    const std::uint64_t start = type.extend(values[0]);
    out.put_signed_varint(static_cast<std::int64_t>(start - previous_start));
    previous_start = start;
    padded_differences(values, n, d);
    scratch.mini_block.plan(d, n, kSignBit<Lane>, divisor);
    const Zone extent = extent_of(values, n, type, scratch.mini_block);
    if (at == 0) *zone = extent;
    widen_zone(zone, type, extent.least, extent.greatest);
    scratch.mini_block.emit(&previous_base, out);
  }
  return true;
}

bool encode(const IntSource& source, const IntSample& sample, IntScratch& scratch, Zone* zone, ByteBuffer& out) {
  return source.type.is_narrow() ? encode_as<std::uint32_t>(source, sample.of_deltas, scratch, zone, out)
                                 : encode_as<std::uint64_t>(source, sample.of_deltas, scratch, zone, out);
}

bool decode(ByteReader& in, IntType, std::size_t n, unsigned, std::uint64_t* out) {
  const std::uint64_t divisor = in.get_varint();
  std::uint64_t start = 0;
  std::uint64_t previous_base = 0;
  alignas(64) std::uint64_t d[kMiniBlock];
  for (std::size_t at = 0; at < n; at += kMiniBlock) {
    const std::size_t size = std::min(kMiniBlock, n - at);
    start += static_cast<std::uint64_t>(in.get_signed_varint());
    if (!decode_mini_block(in, size, divisor, &previous_base, d)) return false;
    std::uint64_t value = start;
    out[at] = value;
    for (std::size_t i = 1; i < size; ++i) out[at + i] = value += d[i];
  }
  return true;
}

}  // namespace

const IntCodec kDeltaCodec{CodecId::kDelta, "delta", estimate, encode, decode};

}  // namespace steno::format
