// Loops that look for digits in numbers, as the numbers are printed, without printing them (see kernels.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::query {

// `digits` digits that spell `value`, with fewer than `skips` digits behind them, in numbers of `width` digits at
// least. What is looked for must fit into a number: skips - 1 + digits is at most kMostDecimals, or 16.
struct DigitPlaces {
  unsigned digits = 1;
  unsigned skips = 1;
  unsigned width = 1;
  bool begins_with_zero = false;
  std::uint64_t value = 0;
};

inline constexpr unsigned kMostDecimals = 20;
inline constexpr unsigned kMostDecimalsAtOnce = 9;  // those of which every one fits into 32 bits

// found[i] |= whether values[i] in decimal has the digits, of which there are at most kMostDecimalsAtOnce, in one of
// the places. All values are below 2^32.
void find_decimals(const std::uint64_t* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found);
// The same in hexadecimal, of any value.
void find_hex(const std::uint64_t* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found);

// What doubles, given as their bits, are in decimal, rounded to `precision` digits (at most text::kMaxFixedPrecision)
// behind the point: the number before it and the number behind it. False: one of them is negative, too large, or so
// near to the middle of two results that this cannot tell which it is; then nothing is known.
[[nodiscard]] bool split_fixed(const std::uint64_t* doubles, std::size_t n, unsigned precision, std::uint64_t* wholes,
                               std::uint64_t* parts);

}  // namespace steno::query
