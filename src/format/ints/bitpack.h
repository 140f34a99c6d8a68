// Bit packing of unsigned integers (file.md §9.2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/ints/kernels.h"

namespace steno::format {

// Lane-interleaved: value i lies in lane i % 8, at bit (i / 8) * width of that lane; word k of every lane before word k
// + 1 of any. So one vector register holds a row of eight values, and packing is shifts and ors by constants.
//
// Bytes of `count` values (1 to 256) of `width` bits (0 to 32): rows past the last value are not stored.
constexpr std::size_t packed_size(std::size_t count, unsigned width) {
  const std::size_t rows = (count + kLanes - 1) / kLanes;
  return (rows * width + 31) / 32 * 32;
}

// Packs 256 values below 2^width, 0 <= width <= 32, into width * 32 bytes at `out`.
void pack(const std::uint32_t* values, unsigned width, std::uint8_t* out);
// Unpacks width * 32 bytes at `in`.
void unpack(const std::uint8_t* in, unsigned width, std::uint32_t* values);
// Takes `count` (1 to 256) values of up to 32 bits from untrusted bytes; there is room for 256, and what is after the
// last one is below 2^width, too. False: bytes are missing.
[[nodiscard]] bool read_packed(ByteReader& in, std::size_t count, unsigned width, std::uint32_t* values);

// Sequential, for columns too short for lanes: value i at bit i * width, least significant bit first. 0 <= width <= 64.
constexpr std::size_t sequential_size(std::size_t count, unsigned width) {
  return (count * width + 7) / 8;
}
// Packs values - base, which must be below 2^width.
void pack_sequential(const std::uint64_t* values, std::size_t count, std::uint64_t base, unsigned width,
                     ByteBuffer& out);
// `in` holds sequential_size() bytes.
void unpack_sequential(const std::uint8_t* in, std::size_t count, unsigned width, std::uint64_t* values);

}  // namespace steno::format
