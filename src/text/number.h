// Numbers out of values, and the quickest ways to write the most common of them.
#pragma once

#include <cstdint>

#include "base/small_decimals.h"
#include "text/value.h"

namespace steno::text {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// The low 64 - shift bits of `bits`, extended: for integers, bool, characters, pointers.
constexpr std::int64_t signed_bits(std::uint64_t bits, unsigned shift) {
  return static_cast<std::int64_t>(bits << shift) >> shift;
}
constexpr std::uint64_t unsigned_bits(std::uint64_t bits, unsigned shift) {
  return bits << shift >> shift;
}

// By how much those of a value are shifted. A value may be of another type than its field: of one that is no number of
// at most 8 bytes, all bits are taken.
constexpr unsigned unused_bits(ArgType type) {
  const auto size = static_cast<unsigned>(fixed_size(type));
  return size >= 1 && size <= 8 ? 64 - 8 * size : 0;
}

// Returns whether bits up to `greatest` are the numbers themselves: none is cut off, or negative.
constexpr bool are_numbers(std::uint64_t greatest, unsigned shift, bool is_signed) {
  return greatest <= UINT64_MAX >> (shift + (is_signed ? 1 : 0));
}

// f32 or f64.
inline double to_double(ArgType type, std::uint64_t bits) {
  return type == ArgType::kF32 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
}
// x87 or binary128, in what the reader's machine has: rounded where that is narrower. Bits that are no number (only a
// damaged file has them) are NaN.
long double to_long_double(const Value& value);
UInt128 to_uint128(const Value& value);

inline constexpr unsigned kMaxNumberSize = 40;  // of what the functions below write

// Each writes at p, where there is room for kMaxNumberSize, and returns the end.
inline char* write_decimal(std::uint64_t value, char* p);
inline char* write_decimal(std::int64_t value, char* p) {
  *p = '-';
  const auto magnitude = static_cast<std::uint64_t>(value);
  return value < 0 ? write_decimal(0 - magnitude, p + 1) : write_decimal(magnitude, p);
}
char* write_long_decimal(std::uint64_t value, char* p);  // 10^8 and more
// Eight digits, with leading zeros. value < 10^8.
inline void write_eight_digits(std::uint32_t value, char* p);
// The shortest text that reads back as the same number, as `{}` prints it.
char* write_shortest(double value, char* p);
char* write_shortest(float value, char* p);

inline constexpr int kMaxFixedPrecision = 9;

// |value| in units of the last of so many decimals: correctly rounded, ties to even. precision <= kMaxFixedPrecision.
// False: the number is too large for this way or not finite.
bool round_fixed(double value, int precision, std::uint64_t* digits);
// Writes what "%.<precision>f" prints, rounded like that. nullptr, and nothing written: it cannot be.
char* write_fixed(double value, int precision, char* p);

inline void write_eight_digits(std::uint32_t value, char* p) {
  store(p, eight_digits(value));
}

// The common case of write_decimal. The number of digits does not wait for the digits: what comes after them starts
// there.
inline char* write_short_decimal(std::uint32_t value, char* p) {
  const std::uint64_t count = count_digits(value);
  store(p, eight_digits(value) >> (64 - 8 * count));
  return p + count;
}

inline char* write_decimal(std::uint64_t value, char* p) {
  return value < 100'000'000 ? write_short_decimal(static_cast<std::uint32_t>(value), p) : write_long_decimal(value, p);
}

}  // namespace steno::text
