// The operations that print a field of a format, as its spec says.
#pragma once

#include <cstdint>

#include "steno/detail/brace_format.h"
#include "steno/detail/printf_format.h"
#include "text/value.h"

namespace steno::text {

// How a field is printed. All but the last four are the common cases, done without looking at the spec again.
enum class PrintKind : std::uint8_t {
  kNothing,  // a literal only
  kSigned,   // an integer in decimal
  kUnsigned,
  kShortest,  // double as {}
  kFixed,     // floating point with a few decimals
  kDigits,    // an integer in so many digits at least, zeros before it
  kString,    // bytes as they are
  kValue,     // any other {}
  kMeaning,   // a number with its meaning
  kNullable,  // a value that may be absent
  kBrace,
  kPrintf,
};

// A literal, then a field.
struct PrintOp {
  std::uint32_t literal = 0;  // offset in the literals
  std::uint32_t literal_size = 0;
  // Index among those of its kind. kFixed and kDigits have one of kBrace or kPrintf, for what they cannot print: large
  // or negative numbers.
  std::uint32_t field = 0;
  std::uint8_t argument = 0;
  PrintKind kind = PrintKind::kNothing;
  std::uint8_t shift = 0;      // of integers: 64 less their bits
  std::uint8_t precision = 0;  // of kFixed
  std::uint8_t digits = 0;     // of kDigits, at least
  char ten = 0;                // of kDigits: 'a' or 'A', or 0 for decimal ones
  bool is_signed = false;      // of kDigits
};

// Returns whether a BraceField or PrintfField prints such fields, or some of their values.
bool needs_field(PrintKind kind);

// The operation for a field that a cursor accepted, of that type; without its literal and index.
PrintOp plan_field(const detail::BraceSpec& spec, ArgType type);
PrintOp plan_field(const detail::PrintfSpec& spec, ArgType type);

}  // namespace steno::text
