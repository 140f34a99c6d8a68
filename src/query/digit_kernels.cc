#include "query/digit_kernels.h"

#include <bit>

#include "format/codecs/kernels.h"
#include "format/codecs/multiversion.h"
#include "query/by_blocks.h"

namespace steno::query {
namespace {

using format::kMiniBlock;

// Digits that begin with zeros are not the first ones of a number, unless it is padded: `above` holds what is before
// them.
template <class T>
STENO_INLINE void mark(const T* __restrict digits, const T* __restrict above, T value, bool not_first,
                       std::size_t count, T* __restrict hits) {
  if (not_first) {
    for (std::size_t i = 0; i < count; ++i) hits[i] |= digits[i] == value && above[i] != 0 ? 1 : 0;
  } else {
    for (std::size_t i = 0; i < count; ++i) hits[i] |= digits[i] == value ? 1 : 0;
  }
}

STENO_INLINE bool not_first(const DigitPlaces& places, unsigned skip) {
  return places.begins_with_zero && skip + places.digits > places.width;
}

}  // namespace

STENO_MULTIVERSION(void, find_decimals,
                   (const std::uint64_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint8_t* __restrict found),
                   (values, n, places, found)) {
  std::uint32_t power = 1;
  for (unsigned k = 0; k < places.digits; ++k) power *= 10;
  const unsigned rows = places.skips + places.digits;
  const auto value = static_cast<std::uint32_t>(places.value);
  by_blocks(n, [=, &places](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint32_t quotients[kMostDecimals + 1][kMiniBlock];  // by powers of ten
    std::uint32_t digits[kMiniBlock];
    std::uint32_t hits[kMiniBlock];
    for (std::size_t i = 0; i < count; ++i) quotients[0][i] = static_cast<std::uint32_t>(values[first + i]);
    for (std::size_t i = 0; i < count; ++i) hits[i] = 0;
    for (unsigned r = 1; r < rows; ++r) {
      for (std::size_t i = 0; i < count; ++i) quotients[r][i] = quotients[r - 1][i] / 10;
    }
    for (unsigned skip = 0; skip < places.skips; ++skip) {
      const std::uint32_t* above = quotients[skip + places.digits];
      for (std::size_t i = 0; i < count; ++i) digits[i] = quotients[skip][i] - above[i] * power;
      mark(digits, above, value, not_first(places, skip), count, hits);
    }
    for (std::size_t i = 0; i < count; ++i) found[first + i] |= static_cast<std::uint8_t>(hits[i]);
  });
}

STENO_MULTIVERSION(void, find_hex,
                   (const std::uint64_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint8_t* __restrict found),
                   (values, n, places, found)) {
  const unsigned bits = 4 * places.digits;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t value = places.value;
  by_blocks(n, [=, &places](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t digits[kMiniBlock];
    std::uint64_t above[kMiniBlock];
    std::uint64_t hits[kMiniBlock];
    for (std::size_t i = 0; i < count; ++i) hits[i] = 0;
    for (unsigned skip = 0; skip < places.skips; ++skip) {
      const bool is_not_first = not_first(places, skip);
      for (std::size_t i = 0; i < count; ++i) digits[i] = values[first + i] >> 4 * skip & mask;
      if (is_not_first) {
        for (std::size_t i = 0; i < count; ++i) above[i] = values[first + i] >> 4 * skip >> (bits - 1) >> 1;
      }
      mark(digits, above, value, is_not_first, count, hits);
    }
    for (std::size_t i = 0; i < count; ++i) found[first + i] |= static_cast<std::uint8_t>(hits[i]);
  });
}

// Below 2^32 a product of doubles is wrong by 2^-22 at the most; kUnsure is more. 2^52 added to a double and taken off
// again rounds it to a whole number, and the low bits of the sum are that number.
STENO_MULTIVERSION(bool, split_fixed,
                   (const std::uint64_t* __restrict doubles, std::size_t n, unsigned precision,
                    std::uint64_t* __restrict wholes, std::uint64_t* __restrict parts),
                   (doubles, n, precision, wholes, parts)) {
  constexpr double kWhole = 0x1p52;
  constexpr std::uint64_t kWholeMask = (std::uint64_t{1} << 52) - 1;
  constexpr double kMost = 0x1p32;
  constexpr double kUnsure = 0x1p-20;
  double power = 1;
  for (unsigned k = 0; k < precision; ++k) power *= 10;
  std::uint64_t bad = 0;
  by_blocks(n, [=, &bad](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t unsure = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      const double scaled = std::bit_cast<double>(doubles[i]) * power;
      const double rounded = (scaled + kWhole) - kWhole;
      const double up = scaled - rounded;
      const double down = rounded - scaled;
      const std::uint64_t plain = (scaled < kMost) & (up < 0.5 - kUnsure) & (down < 0.5 - kUnsure);
      unsure |= doubles[i] >> 63 | (plain ^ 1);  // the sign of -0 too
      const double nearest = (rounded / power + kWhole) - kWhole;
      const double whole = nearest - (nearest * power > rounded ? 1.0 : 0.0);
      wholes[i] = std::bit_cast<std::uint64_t>(whole + kWhole) & kWholeMask;
      parts[i] = std::bit_cast<std::uint64_t>((rounded - whole * power) + kWhole) & kWholeMask;
    }
    bad |= unsure;
  });
  return bad == 0;
}

}  // namespace steno::query
