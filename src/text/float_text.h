// Floating-point numbers as text, as both kinds of formats print them: the digits of every format that a log may have,
// on every machine (types.md, "Text").
#pragma once

#include "base/bytes.h"
#include "text/value.h"

namespace steno::text {

struct FloatStyle {
  // The conversion of printf: 'e', 'f', 'g', 'a'. 0: as few digits as read back as the same number, without exponent if
  // it is 10^-4 or more and less than 10^16.
  char conversion = 0;
  bool upper = false;
  bool alternate = false;  // `#`: always a point; 'g' keeps its zeros
  int precision = -1;      // none: 6, of 'a' as many as there are. Ignored if conversion is 0.
};

struct FloatText {
  bool negative = false;
  bool finite = true;
  bool hex = false;  // "0x" or "0X" comes before it, which is not written here
};

// Appends a number of type f32, f64, x87 or binary128 without its sign.
FloatText append_float(const Value& value, const FloatStyle& style, ByteBuffer& out);

}  // namespace steno::text
