#include "text/printf_field.h"

#include <cstring>

#include "text/float_text.h"
#include "text/printer.h"
#include "text/utf8.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

using detail::PrintfLength;

constexpr unsigned kMaxDigits = 22;  // of 64 bits in base 8

void pad(char c, std::size_t n, ByteBuffer& out) {
  if (n != 0) std::memset(out.grow(n), c, n);
}

// The last bytes of `out`, from `start`, padded to a width with blanks.
void justify(std::size_t start, int width, bool left, ByteBuffer& out) {
  const std::size_t size = out.size() - start;
  if (size >= static_cast<std::size_t>(width)) return;
  const std::size_t blanks = static_cast<std::size_t>(width) - size;
  out.grow(blanks);
  std::uint8_t* text = out.data() + start;
  if (left) {
    std::memset(text + size, ' ', blanks);
  } else {
    std::memmove(text + blanks, text, size);
    std::memset(text, ' ', blanks);
  }
}

// The digits of a number, written backwards from `end`; returns the first. None for 0.
char* write_digits(std::uint64_t number, unsigned base, bool upper, char* end) {
  const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  if (base == 10) {
    for (; number != 0; number /= 10) *--end = static_cast<char>('0' + number % 10);
  } else {
    const unsigned shift = base == 16 ? 4 : 3;
    for (; number != 0; number >>= shift) *--end = digits[number & (base - 1)];
  }
  return end;
}

// How many bytes of UTF-8 fit in `limit` without splitting a character.
std::size_t whole_characters(const std::uint8_t* text, std::size_t size, std::size_t limit) {
  if (size <= limit) return size;
  while (limit != 0 && (text[limit] & 0xC0) == 0x80) --limit;
  return limit;
}

// These convert an argument as C does, to the type that the conversion names.
std::int64_t narrow_signed(std::uint64_t bits, PrintfLength length) {
  switch (length) {
    case PrintfLength::kByte:
      return static_cast<std::int8_t>(bits);
    case PrintfLength::kShort:
      return static_cast<std::int16_t>(bits);
    case PrintfLength::kNone:
      return static_cast<std::int32_t>(bits);
    default:
      return static_cast<std::int64_t>(bits);
  }
}
std::uint64_t narrow_unsigned(std::uint64_t bits, PrintfLength length) {
  switch (length) {
    case PrintfLength::kByte:
      return static_cast<std::uint8_t>(bits);
    case PrintfLength::kShort:
      return static_cast<std::uint16_t>(bits);
    case PrintfLength::kNone:
      return static_cast<std::uint32_t>(bits);
    default:
      return bits;
  }
}

}  // namespace

PrintfField::PrintfField(const detail::PrintfSpec& spec, ArgType type) : spec_(spec), type_(type) {}

bool PrintfField::resolve(std::span<const Value> values, Sizes* sizes, ByteBuffer& out) const {
  sizes->left = spec_.left;
  if (spec_.width >= 0) sizes->width = spec_.width;
  if (spec_.width_argument >= 0) {
    std::int64_t width = static_cast<std::int32_t>(values[static_cast<std::size_t>(spec_.width_argument)].bits);
    if (width < 0) {
      sizes->left = true;
      width = -width;
    }
    if (width > kMaxPad) {
      append(kBadWidth, out);
      return false;
    }
    sizes->width = static_cast<int>(width);
  }
  sizes->precision = spec_.precision;
  if (spec_.precision_argument >= 0) {
    const auto precision = static_cast<std::int32_t>(values[static_cast<std::size_t>(spec_.precision_argument)].bits);
    sizes->precision = precision < 0 ? -1 : precision;
  }
  // A precision cuts text and lengthens numbers, and that is what an errno without a name becomes.
  const char c = spec_.conversion;
  const bool is_text = c == 's' || c == 'c' || (c == 'm' && !spec_.alternate);
  if (sizes->precision > kMaxPad && !is_text) {
    append(kBadPrecision, out);
    return false;
  }
  return true;
}

void PrintfField::print(std::span<const Value> values, ByteBuffer& out) const {
  Sizes sizes;
  if (!resolve(values, &sizes, out)) return;
  const Value& value = values[static_cast<std::size_t>(spec_.argument)];
  switch (spec_.conversion) {
    case 'c':
      print_character(value, sizes, out);
      break;
    case 's':
    case 'm':
      print_string(value, sizes, out);
      break;
    case 'p':
      print_pointer(value, sizes, out);
      break;
    case 'd':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      print_integer(value, sizes, out);
      break;
    default:
      print_float(value, sizes, out);
      break;
  }
}

void PrintfField::print_integer(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  if (spec_.conversion != 'd' && spec_.conversion != 'm') {
    print_unsigned(narrow_unsigned(value.bits, spec_.length), "", spec_.alternate, sizes, out);
    return;
  }
  const std::int64_t number = narrow_signed(value.bits, spec_.length);
  const auto magnitude = static_cast<std::uint64_t>(number);
  const std::string_view sign = number < 0 ? "-" : spec_.plus ? "+" : spec_.space ? " " : "";
  print_unsigned(number < 0 ? 0 - magnitude : magnitude, sign, false, sizes, out);
}

void PrintfField::print_pointer(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  if (value.bits == 0) {
    const std::size_t start = out.size();
    append("(nil)", out);
    justify(start, sizes.width, sizes.left, out);
  } else {
    print_unsigned(value.bits, spec_.plus ? "+" : spec_.space ? " " : "", true, sizes, out);
  }
}

void PrintfField::print_unsigned(std::uint64_t number, std::string_view sign, bool alternate, const Sizes& sizes,
                                 ByteBuffer& out) const {
  const char conversion = spec_.conversion;
  const unsigned base = conversion == 'o' ? 8 : conversion == 'd' || conversion == 'u' || conversion == 'm' ? 10 : 16;
  char buffer[kMaxDigits];
  char* const end = buffer + kMaxDigits;
  const char* const digits = write_digits(number, base, conversion == 'X', end);
  const auto size = static_cast<std::size_t>(end - digits);

  const std::size_t wanted = sizes.precision < 0 ? 1 : static_cast<std::size_t>(sizes.precision);
  std::size_t zeros = wanted > size ? wanted - size : 0;
  if (alternate && base == 8 && zeros == 0 && (size == 0 || *digits != '0')) zeros = 1;
  std::string_view prefix = sign;
  char hex_prefix[3];
  if (alternate && base == 16 && number != 0) {
    std::size_t n = 0;
    if (!sign.empty()) hex_prefix[n++] = sign[0];
    hex_prefix[n++] = '0';
    hex_prefix[n++] = conversion == 'X' ? 'X' : 'x';
    prefix = std::string_view(hex_prefix, n);
  }

  put_number(prefix, zeros, std::string_view(digits, size), spec_.zero && sizes.precision < 0, sizes, out);
}

// A number's parts, with blanks around them or zeros inside up to the width.
void PrintfField::put_number(std::string_view prefix, std::size_t zeros, std::string_view digits, bool fill_zeros,
                             const Sizes& sizes, ByteBuffer& out) {
  const std::size_t size = prefix.size() + zeros + digits.size();
  const auto width = static_cast<std::size_t>(sizes.width);
  const std::size_t missing = size < width ? width - size : 0;
  fill_zeros = fill_zeros && !sizes.left;
  if (!sizes.left && !fill_zeros) pad(' ', missing, out);
  append(prefix, out);
  pad('0', fill_zeros ? zeros + missing : zeros, out);
  append(digits, out);
  if (sizes.left) pad(' ', missing, out);
}

void PrintfField::print_character(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  const std::size_t start = out.size();
  if (spec_.length == PrintfLength::kLong) {
    out.commit(encode_utf8(static_cast<std::uint32_t>(value.bits), out.reserve(kMaxUtf8Size)));
  } else {
    out.put(static_cast<char>(value.bits));
  }
  justify(start, sizes.width, sizes.left, out);
}

void PrintfField::print_string(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  const std::size_t start = out.size();
  const std::size_t limit = sizes.precision < 0 ? SIZE_MAX : static_cast<std::size_t>(sizes.precision);
  if (spec_.conversion == 'm') {
    const auto error = static_cast<int>(value.bits);
    const std::string_view text = spec_.alternate ? errno_name(error) : errno_text(error);
    if (text.empty()) return print_integer(value, sizes, out);
    append(text.substr(0, limit), out);
  } else if (value.string.data() == nullptr) {
    if (limit >= kNullText.size()) append(kNullText, out);  // all of it or nothing, says glibc
  } else if (type_ == ArgType::kString) {
    append(value.string.substr(0, limit), out);
  } else {
    append_string(value, out);
    out.truncate(start + whole_characters(out.data() + start, out.size() - start, limit));
  }
  justify(start, sizes.width, sizes.left, out);
}

void PrintfField::print_float(const Value& value, const Sizes& sizes, ByteBuffer& out) const {
  FloatStyle style;
  style.upper = spec_.conversion >= 'A' && spec_.conversion <= 'G';
  style.conversion = style.upper ? static_cast<char>(spec_.conversion - 'A' + 'a') : spec_.conversion;
  style.alternate = spec_.alternate;
  style.precision = sizes.precision;
  ByteBuffer digits;
  const FloatText text = append_float(value, style, digits);
  char prefix[3];
  std::size_t size = 0;
  if (text.negative || spec_.plus || spec_.space) prefix[size++] = text.negative ? '-' : spec_.plus ? '+' : ' ';
  if (text.hex) {
    prefix[size++] = '0';
    prefix[size++] = style.upper ? 'X' : 'x';
  }
  put_number({prefix, size}, 0, {reinterpret_cast<const char*>(digits.data()), digits.size()},
             spec_.zero && text.finite, sizes, out);
}

}  // namespace steno::text
