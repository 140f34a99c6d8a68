// constant: one value for all (file.md §9.1).
#include "format/ints/codec.h"

#include <algorithm>

namespace steno::format {
namespace {

constexpr std::size_t kBytes = 6;  // a guess; nothing competes with it

std::size_t estimate(const IntSample& sample, IntScratch&) {
  std::uint64_t differ = 0;
  for (std::size_t k = 0; k < sample.windows; ++k) {
    differ |= sample.type.is_narrow() ? unlike(sample.narrow[k], sample.narrow[0][0])
                                      : unlike(sample.wide[k], sample.wide[0][0]);
  }
  return differ == 0 ? kBytes : kNoFit;
}

template <class Lane>
bool encode_as(const IntSource& source, const Lane first, Zone* zone, ByteBuffer& out) {
  alignas(64) Lane scratch_values[kMiniBlock];
  for (std::size_t at = 0; at < source.count; at += kMiniBlock) {
    const Lane* values = mini_block_of(source, at, std::min(kMiniBlock, source.count - at), scratch_values);
    if (unlike(values, first) != 0) return false;
  }
  zone->least = zone->greatest = source.type.extend(first);
  put_constant(source.type, source.type.extend(first), out);
  return true;
}

bool encode(const IntSource& source, const IntSample& sample, IntScratch&, Zone* zone, ByteBuffer& out) {
  return source.type.is_narrow() ? encode_as(source, sample.narrow[0][0], zone, out)
                                 : encode_as(source, sample.wide[0][0], zone, out);
}

bool decode(ByteReader& in, IntType type, std::size_t n, unsigned, std::uint64_t* out) {
  std::uint64_t value = 0;
  if (type.is_float) {
    const std::uint8_t* p = in.take(type.bytes);
    if (p != nullptr) std::memcpy(&value, p, type.bytes);
  } else {
    value = type.is_signed ? static_cast<std::uint64_t>(in.get_signed_varint()) : in.get_varint();
  }
  std::fill(out, out + n, value);
  return in.ok();
}

}  // namespace

void put_constant(IntType type, std::uint64_t value, ByteBuffer& out) {
  if (type.is_float) {
    out.put_bytes(&value, type.bytes);
  } else if (type.is_signed) {
    out.put_signed_varint(static_cast<std::int64_t>(value));
  } else {
    out.put_varint(value);
  }
}

const IntCodec kConstantCodec{CodecId::kConstant, "constant", estimate, encode, decode};

}  // namespace steno::format
