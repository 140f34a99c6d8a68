#include "base/padded_digits.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/small_decimals.h"

namespace steno {
namespace {

constexpr std::uint64_t kEightDigits = 100'000'000;

// Stores the last `size` of sixteen digits, of which each word has eight.
void store_digits(std::uint64_t high, std::uint64_t low, std::size_t size, char* p) {
  if (size <= 8) return store(p, low >> 8 * (8 - size));
  store(p, high >> 8 * (16 - size));
  store(p + size - 8, low);
}

}  // namespace

std::size_t count_decimal_digits(std::uint64_t value) {
  std::size_t n = 1;
  for (; value >= 10000; value /= 10000) n += 4;
  return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

std::size_t count_hex_digits(std::uint64_t value) {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(value)) + 3) / 4);
}

char* put_padded_decimal(std::uint64_t value, std::size_t width, char* p) {
  const std::size_t size = std::max(count_decimal_digits(value), width);
  if (size <= 16) {
    const std::uint64_t high = value / kEightDigits;
    store_digits(eight_digits(static_cast<std::uint32_t>(high)),
                 eight_digits(static_cast<std::uint32_t>(value - high * kEightDigits)), size, p);
    return p + size;
  }
  for (std::size_t i = size; i-- > 0; value /= 10) p[i] = static_cast<char>('0' + value % 10);
  return p + size;
}

char* put_padded_hex(std::uint64_t value, std::size_t width, char ten, char* p) {
  const std::size_t size = std::max(count_hex_digits(value), width);
  const std::uint64_t high = size <= 8 ? 0 : eight_hex_digits(static_cast<std::uint32_t>(value >> 32), ten);
  store_digits(high, eight_hex_digits(static_cast<std::uint32_t>(value), ten), size, p);
  return p + size;
}

}  // namespace steno
