// Digits of numbers without division: those of small ones from a table, a load and a store; of larger ones three at a
// time.
#pragma once

#include <bit>
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

struct ThreeDigits {
  std::uint32_t texts[1000] = {};  // with leading zeros, the first digit in the lowest byte; the highest is 0

  constexpr ThreeDigits() {
    for (std::uint32_t value = 0; value < 1000; ++value) {
      texts[value] = 0x30'3030 + (value / 100 | value / 10 % 10 << 8 | value % 10 << 16);
    }
  }
};
inline constexpr ThreeDigits kThreeDigits;

// The text of a number below 10^8 in eight digits, the first one in the lowest byte.
[[gnu::always_inline]] constexpr std::uint64_t eight_digits(std::uint32_t value) {
  const std::uint32_t millions = static_cast<std::uint32_t>(value * std::uint64_t{1'125'899'907} >> 50);
  const std::uint32_t below = value - millions * 1'000'000;
  const std::uint32_t thousands = static_cast<std::uint32_t>(below * std::uint64_t{4'294'968} >> 32);
  return kThreeDigits.texts[millions] >> 8 | std::uint64_t{kThreeDigits.texts[thousands]} << 16 |
         std::uint64_t{kThreeDigits.texts[below - thousands * 1000]} << 40;
}

struct DigitCounts {
  std::uint64_t sums[33] = {};
  constexpr DigitCounts() {
    // For numbers of so many bits: what makes the upper half of a sum the number of digits (Willets and Lemire).
    std::uint64_t power = 1;
    unsigned digits = 0;
    for (unsigned bits = 0; bits <= 32; ++bits) {
      const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
      while (power <= (most >> 1) + 1) {
        power *= 10;
        ++digits;
      }
      sums[bits] = (std::uint64_t{digits + 1} << 32) - power;
      if (power > most) sums[bits] = std::uint64_t{digits} << 32;
    }
  }
};
inline constexpr DigitCounts kDigitCounts;

// How many digits a number has in decimal.
[[gnu::always_inline]] constexpr std::uint64_t count_digits(std::uint32_t value) {
  return (value + kDigitCounts.sums[std::bit_width(value | 1)]) >> 32;
}

}  // namespace steno
