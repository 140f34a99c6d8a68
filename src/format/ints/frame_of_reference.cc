// frame of reference: mini-blocks of the values themselves (file.md §9.1); for short columns one frame, packed
// sequentially.
#include <algorithm>
#include <bit>

#include "format/ints/bitpack.h"
#include "format/ints/codec.h"

namespace steno::format {
namespace {

template <class Lane>
std::size_t estimate_as(const IntSample& sample, const Lane (*windows)[kMiniBlock], IntScratch& scratch) {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < sample.windows; ++k) {
    bytes += scratch.mini_block.plan(windows[k], sample.sizes[k], order_flip<Lane>(sample.type), sample.of_values);
  }
  return sample.scale(bytes);
}

std::size_t estimate(const IntSample& sample, IntScratch& scratch) {
  return sample.type.is_narrow() ? estimate_as(sample, sample.narrow, scratch)
                                 : estimate_as(sample, sample.wide, scratch);
}

template <class Lane>
bool encode_as(const IntSource& source, const Divisor& divisor, IntScratch& scratch, Zone* zone, ByteBuffer& out) {
  const auto flip = order_flip<Lane>(source.type);
  MiniBlockEncoder& mini_block = scratch.mini_block;
  std::uint64_t previous_base = 0;
  alignas(64) Lane scratch_values[kMiniBlock];
  out.put_varint(divisor.value);
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const std::size_t n = std::min(kMiniBlock, source.count - at);
    const Lane* values = mini_block_of(source, at, n, scratch_values);
    mini_block.plan(values, n, flip, divisor);
    if (at == 0) *zone = {mini_block.least(), mini_block.greatest()};
    widen_zone(zone, source.type, mini_block.least(), mini_block.greatest());
    mini_block.emit(&previous_base, out);
  }
  return true;
}

bool encode(const IntSource& source, const IntSample& sample, IntScratch& scratch, Zone* zone, ByteBuffer& out) {
  return source.type.is_narrow() ? encode_as<std::uint32_t>(source, sample.of_values, scratch, zone, out)
                                 : encode_as<std::uint64_t>(source, sample.of_values, scratch, zone, out);
}

bool decode_short(ByteReader& in, std::size_t n, std::uint64_t* out) {
  const unsigned width = in.get<std::uint8_t>();
  const auto base = static_cast<std::uint64_t>(in.get_signed_varint());
  if (width > 64) return false;
  const std::uint8_t* p = in.take(sequential_size(n, width));
  if (p == nullptr) return false;
  unpack_sequential(p, n, width, out);
  for (std::size_t i = 0; i < n; ++i) out[i] += base;
  return true;
}

bool decode(ByteReader& in, IntType, std::size_t n, unsigned, std::uint64_t* out) {
  if (n < kShortColumn) return decode_short(in, n, out);
  const std::uint64_t divisor = in.get_varint();
  std::uint64_t previous_base = 0;
  alignas(64) std::uint64_t last[kMiniBlock];
  for (std::size_t at = 0; at < n; at += kMiniBlock) {
    const std::size_t size = std::min(kMiniBlock, n - at);
    std::uint64_t* to = size == kMiniBlock ? out + at : last;
    if (!decode_mini_block(in, size, divisor, &previous_base, to)) return false;
    if (to == last) std::copy(last, last + size, out + at);
  }
  return true;
}

template <class Lane>
void encode_short_as(const IntSource& source, IntScratch& scratch, ByteBuffer& out) {
  const std::size_t n = source.count;
  const IntType type = source.type;
  const auto flip = order_flip<Lane>(type);
  Lane lanes[kShortColumn];
  gather(source, 0, n, lanes);
  // In 64 bits and one by one: for so few, the baseline's vectors without unsigned order cost more than they save.
  std::uint64_t values[kShortColumn];
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t v = static_cast<Lane>(lanes[i] ^ flip);
    values[i] = v;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const std::uint64_t base = type.extend(static_cast<Lane>(low) ^ flip);
  if (low == high) {
    out.put(static_cast<std::uint8_t>(CodecId::kConstant));
    put_constant(type, base, out);
    return;
  }
  if (type.is_float && encode_short_decimals(values, n, type, scratch, out)) return;
  const auto width = static_cast<unsigned>(std::bit_width(high - low));
  out.put(static_cast<std::uint8_t>(CodecId::kFrameOfReference));
  out.put(static_cast<std::uint8_t>(width));
  out.put_signed_varint(static_cast<std::int64_t>(base));
  pack_sequential(values, n, low, width, out);
}

}  // namespace

void encode_short_ints(const IntSource& source, IntScratch& scratch, ByteBuffer& out) {
  if (source.type.is_narrow()) {
    encode_short_as<std::uint32_t>(source, scratch, out);
  } else {
    encode_short_as<std::uint64_t>(source, scratch, out);
  }
}

const IntCodec kFrameOfReferenceCodec{CodecId::kFrameOfReference, "frame_of_reference", estimate, encode, decode};

}  // namespace steno::format
