// Texts that are the same on every machine, whatever its {fmt}, C and C++ libraries and processor are:
// golden/texts.tsv, which golden/make_texts computed without any of our code.
#include <gtest/gtest.h>

#include <version>

#ifdef __cpp_lib_format
#include <format>
#endif
#include <string>
#include <vector>

#include "cases.h"
#include "golden_texts.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/printf_format.h"

namespace steno::text {
namespace {

TEST(Golden, Texts) {
  const std::vector<testing::GoldenText> all = testing::golden_texts(STENO_GOLDEN_TEXTS);
  ASSERT_GT(all.size(), 4000u);
  for (const testing::GoldenText& line : all) {
    const auto style = line.style == "printf" ? wire::Style::kPrintf : wire::Style::kBrace;
    const std::string format = testing::unescape(line.format);
    std::vector<testing::Argument> arguments;
    arguments.push_back(testing::read_value(static_cast<ArgType>(line.type[0]), line.value));
    EXPECT_EQ(testing::print(style, format, arguments), testing::unescape(line.text))
        << format << " of " << line.type << " " << line.value;
    const auto check = style == wire::Style::kBrace
                           ? detail::check_brace(format.data(), format.size(), line.type.data(), 1)
                           : detail::check_printf(format.data(), format.size(), line.type.data(), 1);
    EXPECT_TRUE(check.error == detail::FormatError::kNone) << format << " of " << line.type;
  }
}

#ifdef __cpp_lib_format
// Returns whether types.md says that std::format prints this otherwise, or does not know it.
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
  for (const testing::GoldenText& line : testing::golden_texts(STENO_GOLDEN_TEXTS)) {
    if (line.style != "brace") continue;
    const std::string format = testing::unescape(line.format);
    const testing::Argument argument = testing::read_value(static_cast<ArgType>(line.type[0]), line.value);
    const Value& value = argument.value;
    if (differs_from_std(format, value)) continue;
    const auto print = [&](const auto& typed) {
      ++compared;
      EXPECT_EQ(std::vformat(format, std::make_format_args(typed)), testing::unescape(line.text))
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
