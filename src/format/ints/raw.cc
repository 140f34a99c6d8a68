// raw: every value in its wire bytes (file.md §9.1). It is for columns that no other codec makes smaller.
#include "format/ints/codec.h"

#include <algorithm>

namespace steno::format {
namespace {

std::size_t estimate(const IntSample& sample, IntScratch&) {
  return sample.count * sample.type.bytes;
}

template <class Lane>
bool encode_as(const IntSource& source, Zone* zone, ByteBuffer& out) {
  const IntType type = source.type;
  const auto flip = order_flip<Lane>(type);
  alignas(64) Lane scratch_values[kMiniBlock];
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, source.count - at);
    const Lane* values = mini_block_of(source, at, n, scratch_values);
    Lane low[kLanes];
    Lane high[kLanes];
    lane_extents(values, flip, low, high);
    const std::uint64_t least = type.extend(*std::min_element(low, low + kLanes) ^ flip);
    const std::uint64_t greatest = type.extend(*std::max_element(high, high + kLanes) ^ flip);
    if (at == 0) *zone = {least, greatest};
    widen_zone(zone, type, least, greatest);
    std::uint8_t* p = out.grow(n * type.bytes);
    for (std::size_t i = 0; i < n; ++i) std::memcpy(p + i * type.bytes, &values[i], type.bytes);
  }
  return true;
}

bool encode(const IntSource& source, const IntSample&, IntScratch&, Zone* zone, ByteBuffer& out) {
  return source.type.is_narrow() ? encode_as<std::uint32_t>(source, zone, out)
                                 : encode_as<std::uint64_t>(source, zone, out);
}

bool decode(ByteReader& in, IntType type, std::size_t n, unsigned, std::uint64_t* out) {
  const std::uint8_t* p = in.take(n * type.bytes);
  if (p == nullptr) return false;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = 0;
    std::memcpy(&out[i], p + i * type.bytes, type.bytes);
  }
  return true;
}

}  // namespace

const IntCodec kRawCodec{CodecId::kRaw, "raw", estimate, encode, decode};

}  // namespace steno::format
