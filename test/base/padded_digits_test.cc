#include "base/padded_digits.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

namespace steno {
namespace {

TEST(PaddedDigits, AsPrintf) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random() >> random() % 64;
    const auto number = static_cast<unsigned long long>(value);
    char expected[32];
    char out[kPaddedRoom];
    const auto written = [&out](const char* end) { return std::string(out, static_cast<std::size_t>(end - out)); };
    int width = static_cast<int>(1 + random() % 19);
    std::snprintf(expected, sizeof expected, "%0*llu", width, number);
    ASSERT_EQ(written(put_padded_decimal(value, static_cast<std::size_t>(width), out)), expected);
    std::snprintf(expected, sizeof expected, "%llu", number);
    ASSERT_EQ(count_decimal_digits(value), std::string(expected).size());
    width = static_cast<int>(1 + random() % 16);
    std::snprintf(expected, sizeof expected, "%0*llx", width, number);
    ASSERT_EQ(written(put_padded_hex(value, static_cast<std::size_t>(width), 'a', out)), expected);
    std::snprintf(expected, sizeof expected, "%0*llX", width, number);
    ASSERT_EQ(written(put_padded_hex(value, static_cast<std::size_t>(width), 'A', out)), expected);
    std::snprintf(expected, sizeof expected, "%llX", number);
    ASSERT_EQ(count_hex_digits(value), std::string(expected).size());
  }
}

}  // namespace
}  // namespace steno
