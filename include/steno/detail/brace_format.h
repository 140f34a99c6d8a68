// Brace formats: the grammar of std::format, and names.
//
//   field     = "{" [argument] [":" spec] "}"          literal braces: "{{" "}}"
//   argument  = index | name                           none: the next argument
//   spec      = [[fill] align] [sign] ["#"] ["0"] [width] ["." precision] ["L"] [type]
//   width, precision = number | "{" [argument] "}"
//   type      = one of  a A b B c d e E f F g G o p s x X ?
//
// A name is letters, digits and '_', no digit first; several with dots between are one: order.qty, of a structure.
// Each distinct name takes the next argument, in order of first appearance, and names it ever after; `{}` takes the
// next one too. Indices cannot be mixed with either. What a spec may ask of a type is what std::format allows,
// less signs of unsigned integers and bool; UTF-16 and UTF-32 units and strings are treated as char and string. `L` is
// accepted and changes nothing: text does not depend on the reader's locale. A width or precision from an argument
// wants an integer; bool and characters are none.
#pragma once

#include "steno/detail/format_check.h"

namespace steno::detail {

struct BraceSpec {
  int argument = -1;
  int fill_begin = 0;  // in the format; one code point
  int fill_size = 0;   // 0: none given
  int width = -1;      // -1: none, or from the argument below
  int width_argument = -1;
  int precision = -1;
  int precision_argument = -1;
  char align = 0;  // '<' '>' '^', 0: none given
  char sign = 0;   // '+' '-' ' '
  char type = 0;
  bool alternate = false;
  bool zero = false;
};

struct BraceCursor : FormatCursor {
  BraceSpec spec = {};                 // of the field that next() found
  int name_begin[kMaxArguments] = {};  // per argument, its name in the format
  int name_size[kMaxArguments] = {};   // 0: it has none
  bool older = false;                  // takes what older versions took too: for formats that are in a log

  using FormatCursor::FormatCursor;

  constexpr bool next() {
    is_field = false;
    if (error != FormatError::kNone || position == length) return finish();
    begin = position;
    while (position < length && format[position] != '{' && format[position] != '}') ++position;
    end = position;
    if (position == length) return true;
    if (at(position + 1) == here()) {  // a doubled brace ends the literal with one of them
      end = position + 1;
      position += 2;
      return true;
    }
    if (end != begin) return true;
    if (here() == '}') return fail(FormatError::kUnmatchedBrace, position);
    return read_field();
  }

 private:
  constexpr bool read_field() {
    if (!begin_field()) return false;
    spec = BraceSpec();
    ++position;
    if (!read_argument(&spec.argument)) return false;
    if (here() == ':') {
      ++position;
      if (!read_spec() || !check_spec()) return false;
    }
    if (here() != '}') return fail(here() < 0 ? FormatError::kUnmatchedBrace : FormatError::kBadSpec, position);
    end = ++position;
    return true;
  }

  constexpr bool read_argument(int* argument) {
    const int start = position;
    const int c = here();
    if (c == '}' || c == ':') return use_next(argument, start);
    if (is_digit(c)) {
      int index = 0;
      if (c == '0') {
        ++position;
      } else {
        index = read_number();
      }
      if (here() != '}' && here() != ':') return fail(FormatError::kBadArgumentIndex, position);
      return use_index(index, argument, start);
    }
    if (c < 0) return fail(FormatError::kUnmatchedBrace, start);
    if (!is_name_start(c)) return fail(FormatError::kBadName, start);
    while (is_name_start(here()) || is_digit(here()) || (here() == '.' && is_name_start(at(position + 1)))) ++position;
    return use_name(start, position - start, argument);
  }

  static constexpr bool is_name_start(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  constexpr bool use_name(int start, int size, int* argument) {
    for (int i = 0; i < next_argument; ++i) {
      if (name_size[i] == size && same_text(name_begin[i], start, size)) {
        *argument = i;
        return true;
      }
    }
    if (!use_next(argument, start)) return false;
    name_begin[*argument] = start;
    name_size[*argument] = size;
    return true;
  }

  constexpr bool same_text(int a, int b, int size) const {
    for (int i = 0; i < size; ++i) {
      if (format[a + i] != format[b + i]) return false;
    }
    return true;
  }

  constexpr bool read_spec() {
    if (!read_align()) return false;
    if (here() == '+' || here() == '-' || here() == ' ') spec.sign = format[position++];
    if (here() == '#') {
      spec.alternate = true;
      ++position;
    }
    if (here() == '0') {
      spec.zero = true;
      ++position;
    }
    const int width_at = position;
    if (here() == '0' && !older) return fail(FormatError::kBadSpec, position, spec.argument);
    if (!read_size(&spec.width, &spec.width_argument, FormatError::kBadWidthArgument)) return false;
    if (spec.width > kMaxFormatNumber) return fail(FormatError::kNumberTooBig, width_at, spec.argument);
    if (here() == '.') {
      ++position;
      if (!is_digit(here()) && here() != '{') return fail(FormatError::kBadSpec, position, spec.argument);
      if (!read_size(&spec.precision, &spec.precision_argument, FormatError::kBadPrecisionArgument)) return false;
    }
    localized_ = here() == 'L';
    if (localized_) ++position;
    if (here() < 0 || here() == '}') return true;
    if (here() == 0) return fail(FormatError::kBadSpec, position, spec.argument);  // would read as no type
    spec.type = format[position++];
    return true;
  }

  // The bytes that a leading byte of UTF-8 announces; 1 for what leads nothing.
  static constexpr int code_point_size(int c) { return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF8 ? 4 : 1; }
  static constexpr bool is_align(int c) { return c == '<' || c == '>' || c == '^'; }

  constexpr bool read_align() {
    const int c = here();
    if (c < 0) return true;
    const int size = code_point_size(c);
    if (is_align(at(position + size)) && (c != '}' || older)) {
      if (c == '{') return fail(FormatError::kBadSpec, position, spec.argument);
      spec.fill_begin = position;
      spec.fill_size = size;
      position += size;
    } else if (!is_align(c)) {
      return true;
    }
    spec.align = format[position++];
    return true;
  }

  // A number, or an argument in braces, or nothing.
  constexpr bool read_size(int* number, int* argument, FormatError not_integer) {
    if (is_digit(here())) {
      *number = read_number();
      return true;
    }
    if (here() != '{') return true;
    const int start = position++;
    if (!read_argument(argument)) return false;
    if (here() != '}') return fail(here() < 0 ? FormatError::kUnmatchedBrace : FormatError::kBadSpec, position);
    ++position;
    return (traits(*argument) & kTraitInteger) != 0 || fail(not_integer, start, *argument);
  }

  // The limits that std::format sets by the argument's type.
  constexpr bool check_spec() {
    const unsigned t = traits(spec.argument);
    const int where = begin;
    if ((t & (kTraitPointer | kTraitString)) != 0 && (spec.sign != 0 || spec.alternate || spec.zero || localized_)) {
      return fail(FormatError::kNeedsNumber, where, spec.argument);
    }
    const bool text_of_bool = (t & kTraitBool) != 0 && (spec.type == 0 || spec.type == 's');
    if (text_of_bool && (spec.alternate || spec.zero) && !older) {
      return fail(FormatError::kNeedsNumber, where, spec.argument);
    }
    const bool has_sign = (t & (kTraitSigned | kTraitChar | kTraitFloat)) != 0;
    if (spec.sign != 0 && !has_sign) return fail(FormatError::kNeedsSigned, where, spec.argument);
    if (spec.precision >= 0 || spec.precision_argument >= 0) {
      if ((t & (kTraitFloat | kTraitString)) == 0) return fail(FormatError::kPrecisionNotForType, where, spec.argument);
      const bool pads = (t & kTraitFloat) != 0;
      if (pads && spec.precision > kMaxFormatNumber) return fail(FormatError::kNumberTooBig, where, spec.argument);
    }
    return check_presentation(t) || fail(FormatError::kSpecNotForType, where, spec.argument);
  }

  static constexpr bool is_one_of(char c, const char* set) {
    for (; *set != 0; ++set) {
      if (c == *set) return true;
    }
    return false;
  }

  constexpr bool check_presentation(unsigned t) const {
    const bool plain = spec.type == 0;
    const bool integer = is_one_of(spec.type, "dxXobB");
    if ((t & kTraitInteger) != 0) return plain || integer || spec.type == 'c';
    if ((t & kTraitFloat) != 0) return plain || is_one_of(spec.type, "fegFEGaA");
    if ((t & kTraitString) != 0) return plain || spec.type == 's' || spec.type == '?';
    if ((t & kTraitBool) != 0) return plain || integer || spec.type == 's' || (spec.type == 'c' && older);
    if ((t & kTraitPointer) != 0) return plain || spec.type == 'p';
    if (integer) return true;
    // A character as such has no sign, prefix or leading zeros.
    const bool numeric = spec.sign != 0 || spec.alternate || (spec.zero && (spec.align == 0 || !older));
    return (plain || spec.type == 'c' || spec.type == '?') && !numeric;
  }

  bool localized_ = false;
};

constexpr FormatCheck check_brace(const char* format, std::size_t length, const char* types, std::size_t count) {
  BraceCursor cursor(format, length, types, count);
  while (cursor.next()) {
  }
  FormatCheck check;
  cursor.report(&check);
  return check;
}

}  // namespace steno::detail
