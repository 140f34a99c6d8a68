#include <algorithm>

#include "format/codecs/bitpack.h"
#include "format/codecs/mini_block.h"

namespace steno::format {
namespace {

bool patch(ByteReader& in, std::size_t n, std::size_t exceptions, unsigned exception_bytes, unsigned width,
           std::uint64_t* offsets) {
  const std::uint8_t* at = in.take(exceptions);
  const std::uint8_t* high = in.take(exceptions * exception_bytes);
  if (at == nullptr || high == nullptr) return false;
  for (std::size_t i = 0; i < exceptions; ++i, high += exception_bytes) {
    if (at[i] >= n) return false;
    std::uint64_t v = 0;
    std::memcpy(&v, high, exception_bytes);
    offsets[at[i]] += v << width;
  }
  return true;
}

}  // namespace

bool decode_mini_block(ByteReader& in, std::size_t n, std::uint64_t divisor, std::uint64_t* previous_base,
                       std::uint64_t* out) {
  const auto head = in.get<std::uint8_t>();
  const unsigned width = (head & kMiniWidthMask) == kMiniFullWidth ? 64 : head & kMiniWidthMask;
  const std::uint64_t base = *previous_base + static_cast<std::uint64_t>(in.get_signed_varint());
  *previous_base = base;
  const std::uint64_t factor = (head & kMiniDivided) != 0 ? divisor : 1;
  std::size_t exceptions = 0;
  unsigned exception_bytes = 0;
  if ((head & kMiniPatched) != 0) {
    exceptions = in.get<std::uint8_t>() + std::size_t{1};
    exception_bytes = in.get<std::uint8_t>();
    if (exceptions > n || exception_bytes == 0 || exception_bytes > 8 || width == 64) return false;
  }
  alignas(64) std::uint32_t offsets[kMiniBlock];
  if (width <= 32) {
    if (!read_packed(in, n, width, offsets)) return false;
    if (exceptions == 0) {
      scale_and_add(offsets, factor, base, out);
      return in.ok();
    }
  }
  alignas(64) std::uint64_t wide[kMiniBlock];
  if (width <= 32) {
    scale_and_add(offsets, 1, 0, wide);
  } else {
    const std::uint8_t* bytes = in.take(4 * n);
    if (bytes == nullptr || !read_packed(in, n, width - 32, offsets)) return false;
    alignas(64) std::uint32_t low[kMiniBlock];
    std::memcpy(low, bytes, 4 * n);
    std::fill(low + n, low + kMiniBlock, 0);
    if (exceptions == 0) {
      join_and_add(low, offsets, factor, base, out);
      return in.ok();
    }
    join_and_add(low, offsets, 1, 0, wide);
  }
  if (!patch(in, n, exceptions, exception_bytes, width & 63, wide)) return false;
  scale_and_add(wide, factor, base, out);
  return in.ok();
}

OffsetsResult decode_mini_offsets(ByteReader& in, std::size_t n, std::uint64_t divisor, std::uint64_t* previous_base,
                                  MiniOffsets* out) {
  ByteReader rest = in;
  const auto head = rest.get<std::uint8_t>();
  const unsigned width = head & kMiniWidthMask;
  if (width > 32 || (head & kMiniPatched) != 0) return OffsetsResult::kOther;
  out->base = *previous_base + static_cast<std::uint64_t>(rest.get_signed_varint());
  out->factor = (head & kMiniDivided) != 0 ? divisor : 1;
  out->width = width;
  if (!rest.ok() || !read_packed(rest, n, width, out->offsets)) return OffsetsResult::kDamaged;
  *previous_base = out->base;
  in = rest;
  return OffsetsResult::kRead;
}

}  // namespace steno::format
