// Digits of numbers without division: those of small ones from a table, a load and a store; eight at once by
// multiplication.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace steno {

inline constexpr std::uint32_t kSmallDecimals = 1024;  // numbers below are in the table

struct SmallDecimals {
  std::uint64_t texts[kSmallDecimals] = {};  // the first digit in the lowest byte, how many there are in the highest

  constexpr SmallDecimals() {
    for (std::uint32_t value = 0; value < kSmallDecimals; ++value) {
      std::uint64_t digits = 0;
      std::uint64_t count = 0;
      std::uint32_t rest = value;
      do {
        digits = digits << 8 | ('0' + rest % 10);
        rest /= 10;
        ++count;
      } while (rest != 0);
      texts[value] = digits | count << 56;
    }
  }
};
inline constexpr SmallDecimals kSmallDecimalTexts;

// Writes a number below kSmallDecimals at p, where eight bytes are overwritten, and returns where it ends.
template <class Byte>
inline Byte* write_small_decimal(std::uint64_t value, Byte* p) {
  const std::uint64_t text = kSmallDecimalTexts.texts[value];
  store(p, text);
  return p + (text >> 56);
}

// The digits of a number below 10^8 as bytes 0 to 9, the first digit in the low byte. All at once: halves, quarters,
// and eighths lie side by side in one word.
constexpr std::uint64_t eight_digits(std::uint32_t value) {
  const std::uint64_t halves = value / 10000 | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = (halves * 10486 >> 20) & 0x0000007F'0000007F;  // of each half
  const std::uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
  const std::uint64_t tens = (pairs * 103 >> 10) & 0x000F'000F'000F'000F;
  return tens | (pairs - tens * 10) << 8;
}

}  // namespace steno
