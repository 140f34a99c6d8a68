#include "text/brace_field.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include "text/columns.h"
#include "text/float_text.h"
#include "text/printer.h"
#include "text/quoted.h"
#include "text/utf8.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

bool is_float(ArgType type) {
  return (detail::type_traits(static_cast<char>(type)) & detail::kTraitFloat) != 0;
}
bool is_wide_integer(ArgType type) {
  return type == ArgType::kI128 || type == ArgType::kU128;
}

// An integer, character or bool. Characters are numbers from 0 on.
struct Integer {
  UInt128 magnitude = 0;
  bool negative = false;
};
Integer read_integer(const Value& value) {
  if (is_wide_integer(value.type)) {
    const UInt128 bits = to_uint128(value);
    const bool negative = value.type == ArgType::kI128 && bits >> 127 != 0;
    return {negative ? 0 - bits : bits, negative};
  }
  if (value.type == ArgType::kBool) return {static_cast<UInt128>(value.bits != 0), false};
  const unsigned shift = unused_bits(value.type);
  if (!is_signed_integer(value.type)) return {unsigned_bits(value.bits, shift), false};
  const std::int64_t number = signed_bits(value.bits, shift);
  const auto bits = static_cast<std::uint64_t>(number);
  return {number < 0 ? 0 - bits : bits, number < 0};
}

// False: it is negative, or above the limit.
bool read_size(const Value& value, int limit, int* size) {
  const Integer number = read_integer(value);
  if (number.negative || number.magnitude > static_cast<UInt128>(limit)) return false;
  *size = static_cast<int>(number.magnitude);
  return true;
}

void append_digits(UInt128 number, unsigned base, bool upper, ByteBuffer& out) {
  constexpr unsigned kMostDigits = 128;
  char buffer[kMostDigits];
  char* const end = buffer + kMostDigits;
  char* p = end;
  const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  do {
    *--p = digits[static_cast<unsigned>(number % base)];
    number /= base;
  } while (number != 0);
  out.put_bytes(p, static_cast<std::size_t>(end - p));
}

void append_decimal(UInt128 number, ByteBuffer& out) {
  if (number > UINT64_MAX) return append_digits(number, 10, false, out);
  auto* const p = reinterpret_cast<char*>(out.reserve(kMaxNumberSize));
  out.commit(static_cast<std::size_t>(write_decimal(static_cast<std::uint64_t>(number), p) - p));
}

}  // namespace

BraceField::BraceField(const detail::BraceSpec& spec, std::string_view format, ArgType type)
    : spec_(spec),
      fill_(format.substr(static_cast<std::size_t>(spec.fill_begin), static_cast<std::size_t>(spec.fill_size))),
      type_(type) {
  if (fill_.empty()) fill_ = " ";
  if (spec_.align != 0) spec_.zero = false;  // an alignment says where the blanks go
}

// Returns whether the value is shown as an integer or pointer, and not as a text or character.
bool BraceField::shows_number() const {
  const unsigned traits = detail::type_traits(static_cast<char>(type_));
  if ((traits & detail::kTraitPointer) != 0) return true;
  if (spec_.type == 'c') return false;
  if ((traits & detail::kTraitInteger) != 0) return true;
  return (traits & (detail::kTraitBool | detail::kTraitChar)) != 0 && spec_.type != 0 && spec_.type != 's' &&
         spec_.type != '?';
}

bool BraceField::resolve(std::span<const Value> values, Sizes* sizes, ByteBuffer& out) const {
  sizes->width = std::max(spec_.width, 0);
  sizes->precision = spec_.precision;
  if (spec_.width_argument >= 0 &&
      !read_size(values[static_cast<std::size_t>(spec_.width_argument)], kMaxPad, &sizes->width)) {
    append(kBadWidth, out);
    return false;
  }
  // A precision cuts strings and lengthens numbers.
  const int limit = is_float(type_) ? kMaxPad : INT_MAX;
  if (spec_.precision_argument >= 0 &&
      !read_size(values[static_cast<std::size_t>(spec_.precision_argument)], limit, &sizes->precision)) {
    append(kBadPrecision, out);
    return false;
  }
  return true;
}

void BraceField::print(std::span<const Value> values, ByteBuffer& out) const {
  print_other(values[static_cast<std::size_t>(spec_.argument)], values, out);
}

void BraceField::print_other(const Value& value, std::span<const Value> values, ByteBuffer& out) const {
  Sizes sizes;
  if (!resolve(values, &sizes, out)) return;
  if (is_float(type_)) return print_float(value, sizes, out);
  if (shows_number()) return print_integer(value, sizes, out);
  print_text(value, sizes, out);
}

void BraceField::append_sign(bool negative, ByteBuffer& out) const {
  if (negative) {
    out.put('-');
  } else if (spec_.sign == '+' || spec_.sign == ' ') {
    out.put(spec_.sign);
  }
}

void BraceField::print_integer(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  const Integer number = type_ == ArgType::kPointer ? Integer{value.bits, false} : read_integer(value);
  const char presentation = type_ == ArgType::kPointer ? 'x' : spec_.type;
  const bool prefixed = spec_.alternate || type_ == ArgType::kPointer;
  const std::size_t start = out.size();
  append_sign(number.negative, out);
  unsigned base = 10;
  switch (presentation) {
    case 'x':
    case 'X':
      base = 16;
      break;
    case 'b':
    case 'B':
      base = 2;
      break;
    case 'o':
      base = 8;
      break;
    default:
      break;
  }
  if (prefixed && base != 10 && (base != 8 || number.magnitude != 0)) {
    out.put('0');
    if (base != 8) out.put(presentation);
  }
  const std::size_t prefix = out.size() - start;
  if (base == 10) {
    append_decimal(number.magnitude, out);
  } else {
    append_digits(number.magnitude, base, presentation == 'X', out);
  }
  widen_number(start, prefix, sizes.width, out);
}

void BraceField::print_float(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  FloatStyle style;
  const char presentation = spec_.type;
  style.upper = presentation >= 'A' && presentation <= 'G';
  style.conversion = style.upper ? static_cast<char>(presentation - 'A' + 'a') : presentation;
  style.alternate = spec_.alternate;
  style.precision = sizes.precision;
  if (presentation == 0 && sizes.precision >= 0) style.conversion = 'g';

  ByteBuffer digits;
  const FloatText text = append_float(value, style, digits);
  const std::size_t start = out.size();
  append_sign(text.negative, out);
  if (text.hex) append(style.upper ? "0X" : "0x", out);
  const std::size_t prefix = out.size() - start;
  out.put_bytes(digits.data(), digits.size());
  if (text.finite) return widen_number(start, prefix, sizes.width, out);
  // A value that is no number has no zeros before it, and is aligned like a text.
  const char align = spec_.align != 0 ? spec_.align : spec_.zero ? '>' : '<';
  widen(start, out.size() - start, sizes.width, align, fill_ == "0" ? " " : fill_, out);
}

void BraceField::print_text(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  const std::size_t start = out.size();
  const bool quoted = spec_.type == '?';
  switch (type_) {
    case ArgType::kChar16:
    case ArgType::kChar32: {
      const auto code = static_cast<std::uint32_t>(read_integer(value).magnitude);
      if (quoted) {
        append_quoted_character(code, out);
      } else {
        out.commit(encode_utf8(code, out.reserve(kMaxUtf8Size)));
      }
      break;
    }
    case ArgType::kChar:
      if (quoted) {
        append_quoted_byte(static_cast<std::uint8_t>(value.bits), out);
        break;
      }
      out.put(static_cast<char>(value.bits));
      break;
    case ArgType::kBool:
      if (spec_.type == 'c') {
        out.put(static_cast<char>(value.bits != 0));
        break;
      }
      append(value.bits != 0 ? "true" : "false", out);
      break;
    case ArgType::kString:
    case ArgType::kString16:
    case ArgType::kString32: {
      if (!quoted) {
        append_string(value, out);
        break;
      }
      ByteBuffer utf8;
      append_string(value, utf8);
      append_quoted({reinterpret_cast<const char*>(utf8.data()), utf8.size()}, out);
      break;
    }
    case ArgType::kErrno:
      print_value(value, out);
      break;
    default:  // an integer as a character: the byte
      out.put(static_cast<char>(is_wide_integer(type_) ? static_cast<std::uint64_t>(to_uint128(value)) : value.bits));
      break;
  }
  const auto text = [&] {
    return std::string_view(reinterpret_cast<const char*>(out.data()) + start, out.size() - start);
  };
  if (sizes.precision >= 0) out.truncate(start + size_of_columns(text(), static_cast<std::size_t>(sizes.precision)));
  if (sizes.width == 0) return;
  const char align = spec_.align != 0 ? spec_.align : spec_.zero ? '>' : '<';
  widen(start, columns_of(text()), sizes.width, align, spec_.zero ? "0" : fill_, out);
}

void BraceField::widen_number(std::size_t start, std::size_t prefix, int width, ByteBuffer& out) const {
  const std::size_t size = out.size() - start;
  if (!spec_.zero) return widen(start, size, width, spec_.align != 0 ? spec_.align : '>', fill_, out);
  if (size < static_cast<std::size_t>(width))
    widen(start + prefix, size - prefix, width - static_cast<int>(prefix), '>', "0", out);
}

void BraceField::widen(std::size_t start, std::size_t columns, int width, char align, std::string_view fill,
                       ByteBuffer& out) {
  if (columns >= static_cast<std::size_t>(width)) return;
  const std::size_t missing = static_cast<std::size_t>(width) - columns;
  const std::size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  const std::size_t size = out.size() - start;
  out.grow(missing * fill.size());
  std::uint8_t* p = out.data() + start;
  const auto put_fill = [&](std::size_t count) {
    if (fill.size() == 1) {
      std::memset(p, fill[0], count);
      p += count;
    } else {
      for (; count != 0; --count, p += fill.size()) std::memcpy(p, fill.data(), fill.size());
    }
  };
  if (before != 0) std::memmove(p + before * fill.size(), p, size);
  put_fill(before);
  p += size;
  put_fill(missing - before);
}

}  // namespace steno::text
