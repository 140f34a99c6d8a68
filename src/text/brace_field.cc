#include "text/brace_field.h"

#include <fmt/format.h>

#include <climits>
#include <optional>

#include "text/c_locale.h"
#include "text/number.h"
#include "text/printer.h"
#include "text/utf8.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

bool is_wide_char(ArgType type) {
  return type == ArgType::kChar16 || type == ArgType::kChar32;
}

bool is_float(ArgType type) {
  return (detail::type_traits(static_cast<char>(type)) & detail::kTraitFloat) != 0;
}

// The spec again, without names, `L` and arguments' numbers. `zero`: the type may have the flag '0'.
std::string normalized(const detail::BraceSpec& spec, std::string_view format, char presentation, bool zero) {
  std::string text = "{0:";
  if (spec.zero && !zero) {  // after an alignment it is only a fill
    text += '0';
  } else {
    text.append(format, static_cast<std::size_t>(spec.fill_begin), static_cast<std::size_t>(spec.fill_size));
  }
  if (spec.align != 0) text += spec.align;
  if (spec.sign != 0) text += spec.sign;
  if (spec.alternate) text += '#';
  if (spec.zero && zero) text += '0';
  if (spec.width_argument >= 0) text += "{1}";
  // A width of 0 would read as the flag.
  if (spec.width > 0) text += std::to_string(spec.width);
  if (spec.precision_argument >= 0) text += ".{2}";
  if (spec.precision >= 0) text += '.' + std::to_string(spec.precision);
  if (presentation != 0) text += presentation;
  return text + '}';
}

// The integer that a value holds, clamped to what matters here. False: it is negative, or above the limit.
bool read_size(const Value& value, int limit, int* size) {
  UInt128 number = value.bits;
  bool negative = is_signed_integer(value.type) && value.bits >> 63 != 0;
  if (value.type == ArgType::kI128 || value.type == ArgType::kU128) {
    number = to_uint128(value);
    negative = value.type == ArgType::kI128 && number >> 127 != 0;
  }
  if (negative || number > static_cast<UInt128>(limit)) return false;
  *size = static_cast<int>(number);
  return true;
}

// A character in single quotes, escaped as {fmt} does.
std::string escaped(std::uint32_t code) {
  if (code < 0x80) return fmt::format("{:?}", static_cast<char>(code));
  char utf8[kMaxUtf8Size];
  const std::size_t size = encode_utf8(code, reinterpret_cast<std::uint8_t*>(utf8));
  std::string text = fmt::format("{:?}", std::string_view(utf8, size));
  text.front() = text.back() = '\'';
  return text;
}

}  // namespace

BraceField::BraceField(const detail::BraceSpec& spec, std::string_view format, ArgType type)
    : argument_(spec.argument),
      width_argument_(spec.width_argument),
      precision_argument_(spec.precision_argument),
      type_(type) {
  char presentation = spec.type;
  if (is_wide_char(type) && (presentation == 0 || presentation == 'c' || presentation == '?')) {
    as_text_ = true;
    escape_ = presentation == '?';
    presentation = 0;
  }
  hex_float_ = is_float(type) && (presentation == 'a' || presentation == 'A');
  spec_ = normalized(spec, format, presentation, !as_text_);
}

void BraceField::print(std::span<const Value> values, ByteBuffer& out) const {
  print_other(values[static_cast<std::size_t>(argument_)], values, out);
}

void BraceField::print_other(const Value& value, std::span<const Value> values, ByteBuffer& out) const {
  int width = 0;
  int precision = 0;
  if (width_argument_ >= 0 && !read_size(values[static_cast<std::size_t>(width_argument_)], kMaxPad, &width)) {
    return append(kBadWidth, out);
  }
  // A precision cuts strings and lengthens numbers.
  const int limit = is_float(type_) ? kMaxPad : INT_MAX;
  if (precision_argument_ >= 0 &&
      !read_size(values[static_cast<std::size_t>(precision_argument_)], limit, &precision)) {
    return append(kBadPrecision, out);
  }
  try {
    print_value_with_spec(value, width, precision, out);
  } catch (const fmt::format_error& error) {
    append("{!", out);
    append(error.what(), out);
    append("}", out);
  }
}

void BraceField::print_value_with_spec(const Value& value, int width, int precision, ByteBuffer& out) const {
  fmt::memory_buffer buffer;
  const auto print_as = [&](const auto& typed) {
    fmt::vformat_to(fmt::appender(buffer), spec_, fmt::make_format_args(typed, width, precision));
  };
  const auto code = static_cast<std::uint32_t>(value.bits);
  ByteBuffer utf8;
  switch (type_) {
    case ArgType::kBool:
      print_as(value.bits != 0);
      break;
    case ArgType::kChar:
      print_as(static_cast<char>(value.bits));
      break;
    case ArgType::kI8:
    case ArgType::kI16:
    case ArgType::kI32:
      print_as(static_cast<int>(value.bits));
      break;
    case ArgType::kU8:
    case ArgType::kU16:
    case ArgType::kU32:
      print_as(static_cast<unsigned>(value.bits));
      break;
    case ArgType::kI64:
      print_as(static_cast<long long>(value.bits));
      break;
    case ArgType::kU64:
      print_as(static_cast<unsigned long long>(value.bits));
      break;
    case ArgType::kI128:
      print_as(static_cast<Int128>(to_uint128(value)));
      break;
    case ArgType::kU128:
      print_as(to_uint128(value));
      break;
    case ArgType::kPointer:
      print_as(reinterpret_cast<const void*>(value.bits));
      break;
    case ArgType::kChar16:
    case ArgType::kChar32:
      if (!as_text_) {
        print_as(static_cast<long long>(code));  // signed, as char is: `{:+d}` is allowed
      } else if (escape_) {
        print_as(escaped(code));
      } else {
        utf8.commit(encode_utf8(code, utf8.reserve(kMaxUtf8Size)));
        print_as(std::string_view(reinterpret_cast<const char*>(utf8.data()), utf8.size()));
      }
      break;
    case ArgType::kF32:
    case ArgType::kF64:
    case ArgType::kF80:
    case ArgType::kF128: {
      std::optional<CLocale> locale;
      if (hex_float_) locale.emplace();
      if (type_ == ArgType::kF32) {
        print_as(load<float>(&value.bits));
      } else if (type_ == ArgType::kF64) {
        print_as(load<double>(&value.bits));
      } else {
        print_as(to_long_double(value));
      }
      break;
    }
    case ArgType::kString:
      print_as(value.string.data() != nullptr ? value.string : kNullText);
      break;
    case ArgType::kString16:
    case ArgType::kString32:
      append_string(value, utf8);
      print_as(std::string_view(reinterpret_cast<const char*>(utf8.data()), utf8.size()));
      break;
    case ArgType::kErrno:
      print_value(value, out);
      break;
  }
  out.put_bytes(buffer.data(), buffer.size());
}

}  // namespace steno::text
