#include <algorithm>

#include "format/ints/bitpack.h"
#include "format/ints/mini_block.h"

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

// Patches offsets of 32 bits likewise. kOther: one of them does not fit.
OffsetsResult patch_narrow(ByteReader& in, std::size_t n, std::size_t exceptions, unsigned exception_bytes,
                           unsigned width, std::uint32_t* offsets) {
  if (exceptions > n || exception_bytes == 0 || exception_bytes > 8) return OffsetsResult::kDamaged;
  const std::uint8_t* at = in.take(exceptions);
  const std::uint8_t* high = in.take(exceptions * exception_bytes);
  if (at == nullptr || high == nullptr) return OffsetsResult::kDamaged;
  const bool whole_words = in.remaining() >= 8;  // may be read, whatever is in them
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * exception_bytes);
  for (std::size_t i = 0; i < exceptions; ++i, high += exception_bytes) {
    if (at[i] >= n) return OffsetsResult::kDamaged;
    std::uint64_t v = 0;
    if (whole_words) {
      v = load<std::uint64_t>(high) & mask;
    } else {
      std::memcpy(&v, high, exception_bytes);
    }
    if (v > UINT32_MAX) return OffsetsResult::kOther;
    const std::uint64_t sum = offsets[at[i]] + (v << width);  // width <= 32
    if (sum < v << width || sum > UINT32_MAX) return OffsetsResult::kOther;
    offsets[at[i]] = static_cast<std::uint32_t>(sum);
  }
  return OffsetsResult::kRead;
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
  if (width > 32) return OffsetsResult::kOther;
  const bool patched = (head & kMiniPatched) != 0;
  out->base = *previous_base + static_cast<std::uint64_t>(rest.get_signed_varint());
  out->factor = (head & kMiniDivided) != 0 ? divisor : 1;
  out->width = patched ? 32 : width;
  const std::size_t exceptions = patched ? rest.get<std::uint8_t>() + std::size_t{1} : 0;
  const unsigned exception_bytes = patched ? rest.get<std::uint8_t>() : 0;
  if (!rest.ok() || !read_packed(rest, n, width, out->offsets)) return OffsetsResult::kDamaged;
  if (patched) {
    const OffsetsResult result = patch_narrow(rest, n, exceptions, exception_bytes, width, out->offsets);
    if (result != OffsetsResult::kRead) return result;
  }
  *previous_base = out->base;
  in = rest;
  return OffsetsResult::kRead;
}

OffsetsResult skip_mini_offsets(ByteReader& in, std::size_t n, std::uint64_t divisor, std::uint64_t* previous_base,
                                MiniOffsets* out) {
  ByteReader rest = in;
  const auto head = rest.get<std::uint8_t>();
  out->width = head & kMiniWidthMask;
  if (out->width > 32 || (head & kMiniPatched) != 0) return OffsetsResult::kOther;
  out->base = *previous_base + static_cast<std::uint64_t>(rest.get_signed_varint());
  out->factor = (head & kMiniDivided) != 0 ? divisor : 1;
  if (rest.take(packed_size(n, out->width)) == nullptr) return OffsetsResult::kDamaged;
  *previous_base = out->base;
  in = rest;
  return OffsetsResult::kRead;
}

}  // namespace steno::format
