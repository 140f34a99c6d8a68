// The hot loops of the integer codecs. Each works on one whole mini-block, so that its trip count is a constant and the
// compiler vectorises it; callers pad a short one. Arrays must not overlap unless said.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::format {

inline constexpr std::size_t kMiniBlock = 256;  // values
inline constexpr std::size_t kLanes = 8;        // value i lies in lane i % 8

// Least and greatest value of each lane, of `values[i] ^ flip` as unsigned: flip is the sign bit for signed values.
void lane_extents(const std::uint32_t* values, std::uint32_t flip, std::uint32_t* low, std::uint32_t* high);
void lane_extents(const std::uint64_t* values, std::uint64_t flip, std::uint64_t* low, std::uint64_t* high);

// offsets = values - base, modulo the width of `offsets`.
void subtract(const std::uint32_t* values, std::uint32_t base, std::uint32_t* offsets);
void subtract(const std::uint64_t* values, std::uint64_t base, std::uint64_t* offsets);
void subtract(const std::uint64_t* values, std::uint64_t base, std::uint32_t* offsets);

// offsets = values - base as signed 32-bit integers; 0 if all of them are such.
std::uint64_t subtract_near(const std::uint64_t* values, std::uint64_t base, std::uint32_t* offsets);

// d[i] = v[i] - v[i-1] for i > 0; d[0] = d[1].
void differences(const std::uint32_t* values, std::uint32_t* d);
void differences(const std::uint64_t* values, std::uint64_t* d);

// quotients = rotate_right(offsets * inverse, shift), and their greatest by lane. With the inverse modulo 2^32 of a
// divisor's odd part and the count of its trailing zeros, an offset is a multiple exactly if its quotient is at most
// UINT32_MAX / divisor.
void divide_exactly(const std::uint32_t* offsets, std::uint32_t inverse, unsigned shift, std::uint32_t* quotients,
                    std::uint32_t* high);

// counts[k]: how many values are 2^(first + k) or more, for k in 0..3; first + 3 < bits of the type.
void count_wider(const std::uint32_t* values, unsigned first, std::uint32_t* counts);
void count_wider(const std::uint64_t* values, unsigned first, std::uint32_t* counts);
// flags[i] = values[i] >= 2^width ? 1 : 0, width < bits of the type.
void flag_wider(const std::uint32_t* values, unsigned width, std::uint8_t* flags);
void flag_wider(const std::uint64_t* values, unsigned width, std::uint8_t* flags);

// values[i] &= mask.
void mask_all(std::uint32_t* values, std::uint32_t mask);
// low[i], high[i] = the two halves of values[i].
void split(const std::uint64_t* values, std::uint32_t* low, std::uint32_t* high);

// OR of values[i] ^ first: 0 if all are equal.
std::uint64_t unlike(const std::uint32_t* values, std::uint32_t first);
std::uint64_t unlike(const std::uint64_t* values, std::uint64_t first);

// 0 if all values[i] - low are at most `span`, modulo 2^64.
std::uint64_t beyond(const std::uint64_t* values, std::uint64_t low, std::uint64_t span);

// out[i] = base + offsets[i] * factor, modulo 2^64.
void scale_and_add(const std::uint32_t* offsets, std::uint64_t factor, std::uint64_t base, std::uint64_t* out);
void scale_and_add(const std::uint64_t* offsets, std::uint64_t factor, std::uint64_t base, std::uint64_t* out);

// out[i] = base + (low[i] + high[i] * 2^32) * factor, modulo 2^64.
void join_and_add(const std::uint32_t* low, const std::uint32_t* high, std::uint64_t factor, std::uint64_t base,
                  std::uint64_t* out);

// Doubles as integers: integers[i] = round(values[i] * scale), bad[i] = 1 unless integers[i] / scale gives back
// values[i] to the bit. Values are IEEE bits. Returns how many are bad. decimal_f32 takes and gives back binary32.
std::uint32_t decimals_from_f64(const std::uint64_t* bits, double scale, std::uint64_t* integers, std::uint8_t* bad);
std::uint32_t decimals_from_f32(const std::uint32_t* bits, double scale, std::uint64_t* integers, std::uint8_t* bad);

}  // namespace steno::format
