// Binary floating-point numbers as decimal digits: all of them, correctly rounded to some, or the fewest that read back
// as the same number. For every format that a log may have, on every machine (types.md, "Text").
#pragma once

#include <string>

#include "text/number.h"
#include "text/value.h"

namespace steno::text {

// A floating-point value of any format, taken apart.
struct BinaryNumber {
  enum class Kind : std::uint8_t { kFinite, kInfinite, kNan };

  Kind kind = Kind::kFinite;
  bool negative = false;
  ArgType type = ArgType::kF64;
  UInt128 significand = 0;  // |value| = significand * 2^exponent, if finite
  int exponent = 0;
  // The significand is the least of its exponent, but not of all: the next smaller number is half as far away.
  bool at_power_of_two = false;
  double as_double = 0;  // |value|, of f32 and f64
};

// The number that a value of f32, f64, x87 or binary128 is. Bits that are no number (only a damaged file has them) and
// other types are NaN.
BinaryNumber binary_number(const Value& value);

// 0.DIGITS * 10^point, rounded as asked for. No leading zeros; 0 has no digits.
struct Decimal {
  std::string digits;
  int point = 0;
};

// The functions below want a finite number. They cost about a microsecond, and for the ends of the range of the
// 16-byte formats up to some milliseconds.

// To `count` significant digits, at least 1, ties to even. Fewer come if the others are zeros.
Decimal significant_digits(const BinaryNumber& number, int count);
// To `decimals` digits after the point, ties to even.
Decimal fixed_digits(const BinaryNumber& number, int decimals);
// Rounds to as few digits as read back as the same number, and the closest of these; ties to even.
Decimal shortest_digits(const BinaryNumber& number);

}  // namespace steno::text
