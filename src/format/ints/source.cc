#include "format/ints/source.h"

#include <algorithm>

namespace steno::format {
namespace {

// Wire is the type as it lies in memory; its signedness decides how it extends.
template <class Wire, class Lane>
void gather_as(const IntSource& source, std::size_t first, std::size_t n, Lane* __restrict out) {
  if (source.offsets == nullptr) {
    const std::byte* p = source.data + first * sizeof(Wire);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Lane>(load<Wire>(p + i * sizeof(Wire)));
    return;
  }
  const std::byte* data = source.data;
  const std::uint32_t* __restrict offsets = source.offsets + first;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<Lane>(load<Wire>(data + static_cast<std::size_t>(offsets[i]) * 8));
  }
}

}  // namespace

void gather(const IntSource& source, std::size_t first, std::size_t n, std::uint32_t* out) {
  const bool is_signed = source.type.is_signed;
  switch (source.type.bytes) {
    case 1:
      return is_signed ? gather_as<std::int8_t>(source, first, n, out) : gather_as<std::uint8_t>(source, first, n, out);
    case 2:
      return is_signed ? gather_as<std::int16_t>(source, first, n, out)
                       : gather_as<std::uint16_t>(source, first, n, out);
    default:
      return gather_as<std::uint32_t>(source, first, n, out);
  }
}

void gather(const IntSource& source, std::size_t first, std::size_t n, std::uint64_t* out) {
  gather_as<std::uint64_t>(source, first, n, out);
}

void gather_pair(const IntSource& first, std::uint32_t* first_out, std::uint32_t* second_out) {
  alignas(64) std::uint64_t both[kMiniBlock] = {};
  for (std::size_t at = 0; at < first.count; at += kMiniBlock) {
    gather_as<std::uint64_t>(first, at, std::min(kMiniBlock, first.count - at), both);
    split(both, first_out + at, second_out + at);
  }
}

}  // namespace steno::format
