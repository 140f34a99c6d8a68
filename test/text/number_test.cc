// The quick ways to write numbers, against printf.
#include "text/number.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "cases.h"

namespace steno::text {
namespace {

std::string decimal(std::uint64_t value) {
  char text[kMaxNumberSize];
  return std::string(text, write_decimal(value, text));
}
std::string decimal(std::int64_t value) {
  char text[kMaxNumberSize];
  return std::string(text, write_decimal(value, text));
}

TEST(Number, DecimalAroundEveryPower) {
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1, power * 2 - 1, power * 5}) {
      EXPECT_EQ(decimal(value), std::to_string(value));
      EXPECT_EQ(decimal(static_cast<std::int64_t>(value)), std::to_string(static_cast<std::int64_t>(value)));
      EXPECT_EQ(decimal(static_cast<std::int64_t>(0 - value)), std::to_string(static_cast<std::int64_t>(0 - value)));
    }
  }
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t value : {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit}) {
      EXPECT_EQ(decimal(value), std::to_string(value));
    }
  }
  EXPECT_EQ(decimal(INT64_MIN), "-9223372036854775808");
}

TEST(Number, RandomDecimals) {
  testing::Random random("Number.RandomDecimals");
  for (std::uint64_t i = 0; i < testing::property_cases(); ++i) {
    const std::uint64_t value = testing::random_integer(random);
    ASSERT_EQ(decimal(value), std::to_string(value));
    ASSERT_EQ(decimal(static_cast<std::int64_t>(value)), std::to_string(static_cast<std::int64_t>(value)));
  }
}

TEST(Number, EightDigits) {
  for (std::uint32_t value = 0; value < 100'000'000; value += value < 20'000 ? 1 : 9'973) {
    char expected[16];
    char text[8];
    std::snprintf(expected, sizeof expected, "%08u", value);
    write_eight_digits(value, text);
    ASSERT_EQ(std::string(text, 8), expected);
  }
}

TEST(Number, FixedIsWhatPrintfSays) {
  testing::Random random("Number.FixedIsWhatPrintfSays");
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < testing::property_cases(); ++i) {
    const double value = testing::random_double(random);
    const int precision = static_cast<int>(random.below(kMaxFixedPrecision + 1));
    char text[kMaxNumberSize];
    const char* end = write_fixed(value, precision, text);
    if (end == nullptr) {
      ++refused;
      EXPECT_FALSE(std::fabs(value) < 1e6) << value;
      continue;
    }
    char expected[400];
    std::snprintf(expected, sizeof expected, "%.*f", precision, value);
    ASSERT_EQ(std::string(text, static_cast<std::size_t>(end - text)), expected) << "precision " << precision;
  }
  EXPECT_LT(refused, testing::property_cases() / 2);
}

}  // namespace
}  // namespace steno::text
