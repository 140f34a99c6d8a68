// printf formats: what glibc takes, less %n, and checked as -Wformat does.
//
//   field      = "%" [index "$"] flags [width] ["." [precision]] [length] conversion          literal: "%%"
//   flags      = any of  - + space # 0 ' I
//   width, precision = number | "*" [index "$"]
//   length     = hh h l ll q L j z t
//   conversion = d i u o x X   c C   s S   p   f F e E g G a A   m
//
// `'` and `I` change nothing in the C locale. %m prints the message of errno as it was at the call (%#m: its name).
// Integers are matched by width after promotion, not by sign; l, ll, q, j, z, t and L mean 64 bits here.
#pragma once

#include "steno/detail/format_check.h"

namespace steno::detail {

// Length modifiers as they matter: how many bytes of an integer count, or which kind of character or float.
enum class PrintfLength : unsigned char { kNone, kByte, kShort, kLong, kLongLong, kLongDouble };

struct PrintfSpec {
  int argument = -1;  // %m has none
  int width = -1;     // -1: none, or from the argument below
  int width_argument = -1;
  int precision = -1;
  int precision_argument = -1;
  PrintfLength length = PrintfLength::kNone;
  char conversion = 0;  // 'i' comes as 'd', 'C' and 'S' as 'c' and 's' with kLong
  bool left = false;
  bool plus = false;
  bool space = false;
  bool alternate = false;
  bool zero = false;
};

struct PrintfCursor : FormatCursor {
  PrintfSpec spec = {};            // of the field that next() found
  bool uses_errno = false;         // some field was %m
  std::uint64_t as_string = 0;     // a bit an argument: printed by %s
  std::uint64_t as_pointer = 0;    // likewise, by %p
  int bounds[kMaxArguments] = {};  // as FormatCheck::bounds, of those with their bit in as_string

  using FormatCursor::FormatCursor;

  constexpr bool next() {
    is_field = false;
    if (error != FormatError::kNone || position == length) return finish();
    begin = position;
    while (position < length && format[position] != '%') ++position;
    end = position;
    if (position == length) return true;
    if (at(position + 1) == '%') {  // "%%" ends the literal with one of them
      end = position + 1;
      position += 2;
      return true;
    }
    return end != begin || read_field();
  }

 private:
  constexpr bool read_field() {
    if (!begin_field()) return false;
    spec = PrintfSpec();
    ++position;
    int index = -1;
    if (!read_index(&index)) return false;
    read_flags();
    if (!read_size(&spec.width, &spec.width_argument, FormatError::kBadWidthArgument)) return false;
    if (here() == '.') {
      ++position;
      if (!read_size(&spec.precision, &spec.precision_argument, FormatError::kBadPrecisionArgument)) return false;
      if (spec.precision < 0 && spec.precision_argument < 0) spec.precision = 0;
    }
    read_length();
    if (here() < 0) return fail(FormatError::kBadSpec, begin);
    read_conversion();
    end = position;
    if (!check_conversion()) return false;
    if (spec.conversion == 'm') {
      uses_errno = true;
      return index < 0 || fail(FormatError::kBadSpec, begin);
    }
    if (index < 0 ? !use_next(&spec.argument, begin) : !use_index(index, &spec.argument, begin)) return false;
    return check_type();
  }

  // "3$", or nothing: index stays -1.
  constexpr bool read_index(int* index) {
    const int start = position;
    if (!is_digit(here())) return true;
    const int number = read_number();
    if (here() != '$') {  // a flag or a width
      position = start;
      return true;
    }
    ++position;
    if (number == 0) return fail(FormatError::kBadArgumentIndex, start, 0);
    *index = number - 1;
    return true;
  }

  constexpr void read_flags() {
    for (;; ++position) {
      switch (here()) {
        case '-':
          spec.left = true;
          break;
        case '+':
          spec.plus = true;
          break;
        case ' ':
          spec.space = true;
          break;
        case '#':
          spec.alternate = true;
          break;
        case '0':
          spec.zero = true;
          break;
        case '\'':
        case 'I':
          break;
        default:
          return;
      }
    }
  }

  // A number, or "*" and perhaps "3$", or nothing.
  constexpr bool read_size(int* number, int* argument, FormatError not_integer) {
    if (is_digit(here())) {
      *number = read_number();
      return true;
    }
    if (here() != '*') return true;
    const int start = position++;
    int index = -1;
    if (!read_index(&index)) return false;
    if (index < 0 ? !use_next(argument, start) : !use_index(index, argument, start)) return false;
    return (traits(*argument) & kTraitPromoted) != 0 || fail(not_integer, start, *argument);
  }

  constexpr void read_length() {
    const int c = here();
    if (c == 'h' || c == 'l') {
      const bool doubled = at(position + 1) == c;
      spec.length = c == 'h' ? (doubled ? PrintfLength::kByte : PrintfLength::kShort)
                             : (doubled ? PrintfLength::kLongLong : PrintfLength::kLong);
      position += doubled ? 2 : 1;
    } else if (c == 'q' || c == 'j' || c == 'z' || c == 't') {
      spec.length = PrintfLength::kLongLong;
      ++position;
    } else if (c == 'L') {
      spec.length = PrintfLength::kLongDouble;
      ++position;
    }
  }

  constexpr void read_conversion() {
    const char c = format[position++];
    spec.conversion = c == 'i' ? 'd' : c == 'C' ? 'c' : c == 'S' ? 's' : c;
    if (c != 'C' && c != 'S') return;
    // They take no modifier; this one is refused below.
    spec.length = spec.length == PrintfLength::kNone ? PrintfLength::kLong : PrintfLength::kByte;
  }

  // Conversion, length and numbers, as far as they can be checked without the argument.
  constexpr bool check_conversion() {
    const PrintfLength l = spec.length;
    const bool none = l == PrintfLength::kNone;
    bool length_fits = none;
    switch (spec.conversion) {
      case 'd':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        length_fits = true;
        break;
      case 'c':
      case 's':
        length_fits = none || l == PrintfLength::kLong;
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        length_fits = none || l == PrintfLength::kLong || l == PrintfLength::kLongDouble;
        break;
      case 'p':
      case 'm':
        break;
      case 'n':
        return fail(FormatError::kPercentN, begin);
      case '%':
        return fail(FormatError::kBadSpec, begin);
      default:
        return fail(FormatError::kUnknownConversion, begin);
    }
    if (!length_fits) return fail(FormatError::kBadLength, begin);
    const bool pads = spec.conversion != 's' && (spec.conversion != 'm' || spec.alternate);
    if (spec.width > kMaxFormatNumber || (pads && spec.precision > kMaxFormatNumber)) {
      return fail(FormatError::kNumberTooBig, begin);
    }
    return true;
  }

  constexpr bool check_type() {
    const unsigned t = traits(spec.argument);
    bool fits = false;
    switch (spec.conversion) {
      case 'd':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        fits = (t & (spec.length >= PrintfLength::kLong ? kTraitLong : kTraitPromoted)) != 0;
        break;
      case 'c':
        fits = (t & kTraitPromoted) != 0;
        break;
      case 's':
        fits = (t & kTraitString) != 0 && (spec.length == PrintfLength::kLong) == ((t & kTraitWide) != 0);
        break;
      case 'p':
        fits = (t & (kTraitPointer | kTraitString)) != 0;
        break;
      default:
        fits = (t & kTraitFloat) != 0 && (spec.length == PrintfLength::kLongDouble) == ((t & kTraitLongDouble) != 0);
        break;
    }
    if (!fits) return fail(FormatError::kWrongType, begin, spec.argument);
    return (t & kTraitString) == 0 || note_string();
  }

  // Keeps apart strings printed as such from those printed as addresses, and how much of each may be looked at.
  constexpr bool note_string() {
    const int argument = spec.argument;
    const std::uint64_t bit = std::uint64_t{1} << argument;
    const bool seen = (as_string & bit) != 0;
    (spec.conversion == 'p' ? as_pointer : as_string) |= bit;
    if ((as_string & as_pointer & bit) != 0) return fail(FormatError::kConflictingUse, begin, argument);
    if (spec.conversion == 'p') return true;
    const int literal = spec.precision == 0x7FFFFFFF ? 0 : spec.precision + 1;
    const int bound = spec.precision_argument >= 0 ? -spec.precision_argument - 1 : literal;
    int& known = bounds[argument];
    if (!seen || known == bound) {
      known = bound;
    } else if (known == 0 || bound == 0) {
      known = 0;  // one use reads all of it
    } else if (known > 0 && bound > 0) {
      known = known > bound ? known : bound;
    } else {
      return fail(FormatError::kConflictingUse, begin, argument);
    }
    return true;
  }
};

constexpr FormatCheck check_printf(const char* format, std::size_t length, const char* types, std::size_t count) {
  PrintfCursor cursor(format, length, types, count);
  while (cursor.next()) {
  }
  FormatCheck check;
  cursor.report(&check);
  check.uses_errno = cursor.uses_errno;
  for (int i = 0; i < cursor.count; ++i) {
    check.bounds[i] = cursor.bounds[i];
    if ((cursor.as_pointer >> i & 1) != 0) check.types[i] = static_cast<char>(ArgType::kPointer);
  }
  return check;
}

}  // namespace steno::detail
