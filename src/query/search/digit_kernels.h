// Loops that look for digits in numbers, as the numbers are printed, without printing them (see kernels.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::query {

// `digits` digits that spell `value`, with fewer than `skips` digits after them, in numbers of `width` digits at
// least. What is looked for must fit into a number: skips - 1 + digits is at most kMostDecimals, or 16.
struct DigitPlaces {
  unsigned digits = 1;
  unsigned skips = 1;
  unsigned width = 1;
  bool begins_with_zero = false;
  std::uint64_t value = 0;
};

inline constexpr unsigned kMostDecimals = 20;
inline constexpr std::uint64_t kMostAtOnce = (std::uint64_t{1} << 52) - 1;  // of decimal numbers: exact as doubles

// found[i] |= whether values[i] in decimal has the digits in one of the places. All values are up to `greatest`, which
// is at most kMostAtOnce.
void find_decimals(const std::uint64_t* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                   std::uint8_t* found);
// Finds digits likewise in values up to `greatest`, which is below 2^31.
void find_decimals(const std::uint32_t* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                   std::uint8_t* found);
// Finds hexadecimal digits likewise, in any values. The digits must fit into a value.
void find_hex(const std::uint64_t* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found);
void find_hex(const std::uint32_t* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found);

// Each of n values below 2^31 becomes what it is divided by `divisor` or, if `rest`, what is left then. The divisor is
// more than 1 and below 2^31.
void divide_words(std::uint32_t* values, std::size_t n, std::uint32_t divisor, bool rest);

// Each of n values below 2^31 becomes that divided by `divisor`, a power of ten from 10 to 2^31, rounded to the nearest
// integer; of those in the middle between two it becomes the lower one, and ties[i] is 1, which is 0 else. Returns
// whether there are any.
std::uint32_t round_words(std::uint32_t* values, std::size_t n, std::uint32_t divisor, std::uint8_t* ties);

// Splits doubles, given as their bits, in decimal, rounded to `precision` digits (at most text::kMaxFixedPrecision)
// after the point: the number before it and the number after it. One that is negative, too large, or so near to the
// middle of two results that this cannot tell which it is has the part kUnsplit, and any whole. True: there is none.
inline constexpr std::uint64_t kUnsplit = UINT64_MAX;
bool split_fixed(const std::uint64_t* doubles, std::size_t n, unsigned precision, std::uint64_t* wholes,
                 std::uint64_t* parts);

}  // namespace steno::query
