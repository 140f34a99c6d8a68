// Digits of floating-point numbers: the long way for every format against the C and C++ libraries' for double.
#include "text/float_text.h"

#include <gtest/gtest.h>

#include <charconv>

#include "cases.h"
#include "text/exact_decimal.h"

namespace steno::text {
namespace {

using testing::Argument;
using testing::Random;

// A finite double as a number of another format, which is not printed by std::to_chars.
BinaryNumber the_long_way(double value) {
  BinaryNumber number = binary_number(testing::f64(value).value);
  number.at_power_of_two = number.significand == UInt128{1} << 52 && number.exponent > -1074;
  number.type = ArgType::kF80;
  return number;
}

double finite_double(Random& random) {
  while (true) {
    const double value = testing::random_double(random);
    if (std::isfinite(value)) return value;
  }
}

TEST(ExactDecimalProperty, DoublesTheLongWay) {
  Random random("ExactDecimalProperty.DoublesTheLongWay");
  for (std::uint64_t i = 0; i < testing::property_cases() / 4; ++i) {
    const double value = finite_double(random);
    const BinaryNumber quick = binary_number(testing::f64(value).value);
    const BinaryNumber slow = the_long_way(value);
    const int count = 1 + static_cast<int>(random.below(random.one_in(4) ? 800 : 20));
    const auto same = [&](const Decimal& a, const Decimal& b) {
      ASSERT_EQ(a.digits, b.digits) << value << " " << count;
      ASSERT_TRUE(a.digits.empty() || a.point == b.point) << value << " " << count;
    };
    same(significant_digits(slow, count), significant_digits(quick, count));
    same(fixed_digits(slow, count - 1), fixed_digits(quick, count - 1));
    same(shortest_digits(slow), shortest_digits(quick));
  }
}

// libc++ takes long double for double here.
#ifdef __GLIBCXX__
TEST(ExactDecimalProperty, ShortestLongDoubles) {
  Random random("ExactDecimalProperty.ShortestLongDoubles");
  for (std::uint64_t i = 0; i < testing::property_cases() / 8; ++i) {
    long double number = std::ldexp(1.0L, static_cast<int>(random.below(32'000)) - 16'000);
    if (!random.one_in(4)) {
      const Argument any = testing::random_argument(random, testing::kOurLongDouble);
      number = std::fabs(to_long_double(any.value));
    }
    if (!std::isfinite(number)) continue;
    const Argument argument = Argument::floating(testing::kOurLongDouble, number);
    char buffer[64];
    char* const end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
    const std::string expected(buffer, end);
    const std::size_t mark = expected.find('e');
    std::string digits = expected.substr(0, mark);
    std::erase(digits, '.');
    const Decimal decimal = shortest_digits(binary_number(argument.value));
    ASSERT_EQ(decimal.digits, number == 0 ? "" : digits) << expected;
    ASSERT_TRUE(number == 0 || decimal.point == std::stoi(expected.substr(mark + 1)) + 1) << expected;
  }
}
#endif

#ifdef __GLIBC__
TEST(FloatTextProperty, LongDoublesAsTheCLibrary) {
  Random random("FloatTextProperty.LongDoublesAsTheCLibrary");
  for (std::uint64_t i = 0; i < testing::property_cases() / 4; ++i) {
    const Argument argument = testing::random_argument(random, testing::kOurLongDouble);
    FloatStyle style;
    style.conversion = random.pick("efga");
    style.upper = random.one_in(2);
    style.alternate = style.conversion != 'g' && random.one_in(3);
    style.precision = random.one_in(3) ? -1 : static_cast<int>(random.below(random.one_in(6) ? 60 : 20));
    ByteBuffer digits;
    const FloatText text = append_float(argument.value, style, digits);
    std::string ours = text.negative ? "-" : "";
    if (text.hex) ours += style.upper ? "0X" : "0x";
    ours.append(reinterpret_cast<const char*>(digits.data()), digits.size());

    const char letter = style.upper ? static_cast<char>(style.conversion - 'a' + 'A') : style.conversion;
    const std::string format = std::string("%") + (style.alternate ? "#" : "") + ".*L" + letter;
    char expected[8192];
    std::snprintf(expected, sizeof expected, format.c_str(), style.precision, to_long_double(argument.value));
    ASSERT_EQ(ours, expected) << format << " " << style.precision;
  }
}
#endif

}  // namespace
}  // namespace steno::text
