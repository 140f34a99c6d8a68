// The value of each byte as a digit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steno {

inline constexpr std::uint8_t kNoDigit = 0xFF;

// By byte: the value of a digit, or kNoDigit. `tens`: the letters that stand for ten; none in decimal.
constexpr std::array<std::uint8_t, 256> digit_values(std::string_view tens) {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
  for (const char ten : tens) {
    for (unsigned i = 0; i < 6; ++i) values[static_cast<std::uint8_t>(ten) + i] = static_cast<std::uint8_t>(10 + i);
  }
  return values;
}

// The values of hexadecimal digits: with letters of either case, and of one.
inline constexpr std::array<std::uint8_t, 256> kHexDigits = digit_values("aA");
inline constexpr std::array<std::uint8_t, 256> kLowerHexDigits = digit_values("a");
inline constexpr std::array<std::uint8_t, 256> kUpperHexDigits = digit_values("A");

}  // namespace steno
