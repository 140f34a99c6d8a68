#include "format/ints/wide_column.h"

#include "format/ints/codec.h"

namespace steno::format {

void encode_wide(const std::byte* data, const std::uint32_t* offsets, std::size_t count, ByteBuffer& out) {
  const auto value = [&](std::size_t i) { return data + static_cast<std::size_t>(offsets[i]) * 8; };
  std::size_t same = 1;
  while (same < count && std::memcmp(value(0), value(same), kWideSize) == 0) ++same;
  const bool constant = same == count;
  out.put(static_cast<std::uint8_t>(constant ? CodecId::kConstant : CodecId::kRaw));
  const std::size_t stored = constant ? 1 : count;
  std::uint8_t* p = out.grow(stored * kWideSize);
  for (std::size_t i = 0; i < stored; ++i) std::memcpy(p + i * kWideSize, value(i), kWideSize);
}

bool decode_wide(ByteReader& in, std::size_t n, std::uint8_t* out) {
  const auto codec = static_cast<CodecId>(in.get<std::uint8_t>());
  if (codec == CodecId::kRaw) {
    const std::uint8_t* p = in.take(n * kWideSize);
    if (p != nullptr) std::memcpy(out, p, n * kWideSize);
    return p != nullptr;
  }
  const std::uint8_t* p = in.take(kWideSize);
  if (codec != CodecId::kConstant || p == nullptr) return false;
  for (std::size_t i = 0; i < n; ++i) std::memcpy(out + i * kWideSize, p, kWideSize);
  return true;
}

}  // namespace steno::format
