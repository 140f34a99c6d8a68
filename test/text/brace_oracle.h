// What {fmt} itself makes of a format and of our values.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cases.h"

namespace steno::text::testing {

using FmtArg = fmt::basic_format_arg<fmt::format_context>;

// A value as the C++ type that it was. `text` keeps what a string view needs; UTF-16 and UTF-32 units are a number, a
// string or (for what is allowed, not for what is printed) a char.
enum class CharAs { kNumber, kText, kChar };

template <class T>
FmtArg fmt_arg(const T& value) {
  return fmt::detail::make_arg<fmt::format_context>(value);
}

inline FmtArg to_fmt(const Value& value, CharAs chars, std::string& text) {
  const auto utf8 = [&]() -> FmtArg {
    ByteBuffer out;
    print_value(value, out);
    text.assign(reinterpret_cast<const char*>(out.data()), out.size());
    return fmt_arg(fmt::string_view(text));
  };
  switch (value.type) {
    case ArgType::kBool:
      return fmt_arg(value.bits != 0);
    case ArgType::kChar:
      return fmt_arg(static_cast<char>(value.bits));
    case ArgType::kI8:
      return fmt_arg(static_cast<signed char>(value.bits));
    case ArgType::kI16:
      return fmt_arg(static_cast<short>(value.bits));
    case ArgType::kI32:
      return fmt_arg(static_cast<int>(value.bits));
    case ArgType::kI64:
      return fmt_arg(static_cast<long>(value.bits));
    case ArgType::kU8:
      return fmt_arg(static_cast<unsigned char>(value.bits));
    case ArgType::kU16:
      return fmt_arg(static_cast<unsigned short>(value.bits));
    case ArgType::kU32:
      return fmt_arg(static_cast<unsigned>(value.bits));
    case ArgType::kU64:
      return fmt_arg(static_cast<unsigned long>(value.bits));
    case ArgType::kI128:
      return fmt_arg(static_cast<Int128>(to_uint128(value)));
    case ArgType::kU128:
      return fmt_arg(to_uint128(value));
    case ArgType::kF32:
      return fmt_arg(load<float>(&value.bits));
    case ArgType::kF64:
      return fmt_arg(load<double>(&value.bits));
    case ArgType::kF80:
    case ArgType::kF128:
      return fmt_arg(to_long_double(value));
    case ArgType::kPointer:
      return fmt_arg(reinterpret_cast<const void*>(value.bits));
    case ArgType::kChar16:
    case ArgType::kChar32:
      if (chars == CharAs::kChar) return fmt_arg(static_cast<char>(value.bits));
      if (chars == CharAs::kNumber) return fmt_arg(static_cast<long>(value.bits));
      return utf8();
    default:
      return utf8();
  }
}

// The text, or nothing if {fmt} refuses.
inline std::optional<std::string> fmt_print(std::string_view format, const std::vector<FmtArg>& args) {
  try {
    fmt::memory_buffer buffer;
    fmt::vformat_to(fmt::appender(buffer), fmt::string_view(format.data(), format.size()),
                    fmt::format_args(args.data(), static_cast<int>(args.size())));
    return fmt::to_string(buffer);
  } catch (const fmt::format_error&) {
    return std::nullopt;
  }
}

}  // namespace steno::text::testing
