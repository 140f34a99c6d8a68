// Numbers in at least so many digits, decimal or hexadecimal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno {

// The eight hexadecimal digits of a number as text, the first one in the lowest byte. `ten`: 'a' or 'A'.
[[gnu::always_inline]] constexpr std::uint64_t eight_hex_digits(std::uint32_t value, char ten) {
  constexpr std::uint64_t kAllBytes = 0x0101010101010101;  // times a byte: that in each byte
  std::uint64_t x = __builtin_bswap32(value);
  x = (x | x << 16) & 0x0000FFFF0000FFFF;
  x = (x | x << 8) & 0x00FF00FF00FF00FF;
  x = (x >> 4 & 0x000F000F000F000F) | (x & 0x000F000F000F000F) << 8;
  const std::uint64_t letters = (x + 6 * kAllBytes) >> 4 & kAllBytes;
  return x + '0' * kAllBytes + letters * static_cast<std::uint64_t>(ten - 10 - '0');
}

// How many digits a number has.
std::size_t count_decimal_digits(std::uint64_t value);
std::size_t count_hex_digits(std::uint64_t value);

// Each writes at p, where up to kPaddedRoom bytes are overwritten, a number with zeros before it that make up `width`
// digits, 1 to 19 or 16, and returns the end.
inline constexpr std::size_t kPaddedRoom = 20;
char* put_padded_decimal(std::uint64_t value, std::size_t width, char* p);
char* put_padded_hex(std::uint64_t value, std::size_t width, char ten, char* p);

}  // namespace steno
