// Texts that are the same on every machine, whatever its {fmt}, C and C++ libraries and processor are:
// golden/texts.tsv, which golden/make_texts computed without any of our code.
#include <gtest/gtest.h>

#include <version>

#ifdef __cpp_lib_format
#include <format>
#endif
#include <fstream>
#include <string>
#include <vector>

#include "cases.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/printf_format.h"

namespace steno::text {
namespace {

std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

UInt128 read_hex(std::string_view digits) {
  UInt128 number = 0;
  for (const char c : digits) number = number << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  return number;
}

testing::Argument read_value(ArgType type, std::string_view text) {
  if (type == ArgType::kString) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) bytes += static_cast<char>(read_hex(text.substr(i, 2)));
    return testing::str(bytes);
  }
  const UInt128 bits = read_hex(text);
  if (fixed_size(type) == 16) return testing::Argument::wide(type, bits);
  if (!is_signed_integer(type)) return testing::Argument::integer(type, static_cast<std::uint64_t>(bits));
  const auto shift = static_cast<unsigned>(64 - 8 * fixed_size(type));
  return testing::Argument::integer(type,
                                    static_cast<std::uint64_t>(signed_bits(static_cast<std::uint64_t>(bits), shift)));
}

struct GoldenText {
  std::string style, type, value, format, text;
};
std::vector<GoldenText> golden_texts() {
  std::vector<GoldenText> all;
  std::ifstream file(STENO_GOLDEN_TEXTS);
  GoldenText line;
  while (std::getline(file, line.style, '\t') && std::getline(file, line.type, '\t') &&
         std::getline(file, line.value, '\t') && std::getline(file, line.format, '\t') &&
         std::getline(file, line.text)) {
    all.push_back(line);
  }
  return all;
}

TEST(Golden, Texts) {
  const std::vector<GoldenText> all = golden_texts();
  ASSERT_GT(all.size(), 4000u);
  for (const GoldenText& line : all) {
    const auto style = line.style == "printf" ? wire::Style::kPrintf : wire::Style::kBrace;
    const std::string format = unescape(line.format);
    std::vector<testing::Argument> arguments;
    arguments.push_back(read_value(static_cast<ArgType>(line.type[0]), line.value));
    EXPECT_EQ(testing::print(style, format, arguments), unescape(line.text))
        << format << " of " << line.type << " " << line.value;
    const auto check = style == wire::Style::kBrace
                           ? detail::check_brace(format.data(), format.size(), line.type.data(), 1)
                           : detail::check_printf(format.data(), format.size(), line.type.data(), 1);
    EXPECT_TRUE(check.error == detail::FormatError::kNone) << format << " of " << line.type;
  }
}

#ifdef __cpp_lib_format
// Whether types.md says that std::format prints this otherwise, or that it does not know.
bool differs_from_std(std::string_view format, const Value& value) {
  const char type = static_cast<char>(value.type);
  detail::BraceCursor cursor(format.data(), format.size(), &type, 1);
  cursor.next();
  const detail::BraceSpec& spec = cursor.spec;
  const bool cut = spec.precision >= 0;
  switch (value.type) {
    case ArgType::kF32:
    case ArgType::kF64: {
      const double number = to_double(value.type, value.bits);
      if (!std::isfinite(number)) return spec.width >= 0;
      if (spec.type == 'a' || spec.type == 'A') return true;
      // libstdc++ 14 prints a zero byte in front of so many digits, and no point.
      if (spec.alternate && spec.type == 'f' && std::fabs(number) >= 1e100) return true;
      if (spec.type != 0) return false;
      if (cut) return spec.alternate;
      return number != 0 && !(std::fabs(number) >= 1e-3 && std::fabs(number) < 1e5);
    }
    case ArgType::kChar:
    case ArgType::kString:
      return spec.type == '?' || std::any_of(value.string.begin(), value.string.end(), [](char c) { return c < 0; });
    default:
      return spec.type == 'c';
  }
}

TEST(Golden, StdFormatPrintsTheSameTexts) {
  std::size_t compared = 0;
  for (const GoldenText& line : golden_texts()) {
    if (line.style != "brace") continue;
    const std::string format = unescape(line.format);
    const testing::Argument argument = read_value(static_cast<ArgType>(line.type[0]), line.value);
    const Value& value = argument.value;
    if (differs_from_std(format, value)) continue;
    const auto print = [&](const auto& typed) {
      ++compared;
      EXPECT_EQ(std::vformat(format, std::make_format_args(typed)), unescape(line.text))
          << format << " of " << line.type;
    };
    switch (value.type) {
      case ArgType::kBool: {
        const bool boolean = value.bits != 0;
        print(boolean);
        break;
      }
      case ArgType::kChar: {
        const auto character = static_cast<char>(value.bits);
        print(character);
        break;
      }
      case ArgType::kI8:
      case ArgType::kI16:
      case ArgType::kI32:
      case ArgType::kI64: {
        const auto integer = static_cast<long long>(value.bits);
        print(integer);
        break;
      }
      case ArgType::kU8:
      case ArgType::kU16:
      case ArgType::kU32:
      case ArgType::kU64: {
        const auto integer = static_cast<unsigned long long>(value.bits);
        print(integer);
        break;
      }
      case ArgType::kF32: {
        const auto number = load<float>(&value.bits);
        print(number);
        break;
      }
      case ArgType::kF64: {
        const auto number = load<double>(&value.bits);
        print(number);
        break;
      }
      case ArgType::kPointer: {
        const void* pointer = reinterpret_cast<const void*>(value.bits);
        print(pointer);
        break;
      }
      case ArgType::kString:
        print(value.string);
        break;
      default:
        break;
    }
  }
  EXPECT_GT(compared, 2000u);
}
#endif

}  // namespace
}  // namespace steno::text
