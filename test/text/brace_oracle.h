// Returns the text that {fmt} itself makes of a format and of our values, and says where its versions 9 to 12 agree
// with each other and with types.md: elsewhere the installed one is no oracle (golden_test.cc, std_format_test.cc).
// Only the rules say which formats are taken (brace_rules.h).
#pragma once

#include <fmt/args.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases.h"
#include "steno/detail/brace_format.h"

namespace steno::text::testing {

using FmtArgs = fmt::dynamic_format_arg_store<fmt::format_context>;
using FmtArg = std::function<void(FmtArgs&)>;  // adds it

// A value as the C++ type that it was. `text` keeps what a string view needs; UTF-16 and UTF-32 units are a number, a
// string or (for what is allowed, not for what is printed) a char.
enum class CharAs { kNumber, kText, kChar };

template <class T>
FmtArg fmt_arg(const T& value) {
  return [value](FmtArgs& args) { args.push_back(value); };
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

inline const std::string kOracleTypes = std::string("bcasilnhtjmofdpuwSUW") + static_cast<char>(kOurLongDouble);

inline bool fmt_versions_agree(const detail::BraceSpec& spec, const Value& value) {
  const unsigned traits = detail::type_traits(static_cast<char>(value.type));
  const bool cut = spec.precision >= 0 || spec.precision_argument >= 0;
  if (spec.zero && spec.align != 0) return false;
  if ((traits & detail::kTraitFloat) != 0) {
    const bool general = spec.type == 0 || spec.type == 'g' || spec.type == 'G';
    if ((spec.alternate && general) || spec.type == 'a' || spec.type == 'A') return false;
    // Version 9 has more decimals of small long doubles than it is asked for.
    if (value.type == kOurLongDouble && (spec.type == 'f' || spec.type == 'F')) return false;
    // The digits of a power of two do not always read back as it.
    if (value.type == kOurLongDouble && spec.type == 0 && !cut) return false;
    // Version 9 prints no more than 767 digits; 309 of them may stand before the point.
    if (spec.precision > 767 - 309) return false;
    const float magnitude = value.type == ArgType::kF32 ? std::fabs(load<float>(&value.bits)) : 0;
    return !(magnitude >= 1e7F && magnitude < 1e16F);
  }
  if ((traits & detail::kTraitInteger) != 0) return spec.type != 'c';
  const bool sized = spec.width >= 0 || spec.width_argument >= 0 || cut;
  if ((traits & detail::kTraitChar) != 0) {
    return spec.sign == 0 && value.bits < 0x80 && !(spec.type == '?' && sized);  // the quotes have no width to {fmt}
  }
  if ((traits & detail::kTraitString) != 0) {
    if (spec.type == '?') return !sized;
    return !cut || (value.type == ArgType::kString &&
                    std::all_of(value.string.begin(), value.string.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
  return true;
}

inline bool fmt_versions_agree(std::string_view format, const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i + 2 < format.size(); ++i) {  // a brace as a fill
    if (format[i] == ':' && format[i + 1] == '}' && std::string_view("<>^").find(format[i + 2]) != std::string::npos) {
      return false;
    }
  }
  const std::string types = types_of(arguments);
  detail::BraceCursor cursor(format.data(), format.size(), types.data(), types.size());
  cursor.older = true;
  while (cursor.next()) {
    if (!cursor.is_field) continue;
    if (!fmt_versions_agree(cursor.spec, arguments[static_cast<std::size_t>(cursor.spec.argument)].value)) return false;
  }
  // {fmt} still takes some formats that only older versions took.
  return detail::check_brace(format.data(), format.size(), types.data(), types.size()).error == cursor.error;
}

// The text, or nothing if {fmt} refuses.
inline std::optional<std::string> fmt_print(std::string_view format, const std::vector<FmtArg>& args) {
  try {
    fmt::memory_buffer buffer;
    FmtArgs all;
    for (const FmtArg& add : args) add(all);
    fmt::vformat_to(fmt::appender(buffer), fmt::string_view(format.data(), format.size()), all);
    return fmt::to_string(buffer);
  } catch (const fmt::format_error&) {
    return std::nullopt;
  }
}

}  // namespace steno::text::testing
