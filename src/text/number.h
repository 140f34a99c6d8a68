// Numbers out of values, and the quickest ways to write the most common of them.
#pragma once

#include <cstdint>

#include "text/value.h"

namespace steno::text {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// Of integers, bool, characters, pointers: the low 64 - shift bits of `bits`, extended.
inline std::int64_t signed_bits(const Value& value, unsigned shift) {
  return static_cast<std::int64_t>(value.bits << shift) >> shift;
}
inline std::uint64_t unsigned_bits(const Value& value, unsigned shift) {
  return value.bits << shift >> shift;
}

// f32 or f64.
double to_double(const Value& value);
// x87 or binary128, in what the reader's machine has: rounded where that is narrower. Bits that are no number (only a
// damaged file has them) are NaN.
long double to_long_double(const Value& value);
UInt128 to_uint128(const Value& value);

inline constexpr unsigned kMaxNumberSize = 40;  // of what the functions below write

// Each writes at p, where there is room for kMaxNumberSize, and returns the end.
char* write_decimal(std::int64_t value, char* p);
char* write_decimal(std::uint64_t value, char* p);
// The shortest text that reads back as the same number, as `{}` prints it.
char* write_shortest(double value, char* p);
char* write_shortest(float value, char* p);

inline constexpr int kMaxFixedPrecision = 9;

// As "%.<precision>f": correctly rounded, ties to even. precision <= kMaxFixedPrecision. nullptr, and nothing written,
// if the number is too large for this way or not finite.
char* write_fixed(double value, int precision, char* p);

}  // namespace steno::text
