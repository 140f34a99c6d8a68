// Small numbers in decimal, from a table: a load, a store, and no division.
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

}  // namespace steno
