#include "query/digit_kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/codecs/kernels.h"
#include "format/codecs/multiversion.h"
#include "query/by_blocks.h"

namespace steno::query {
namespace {

using format::kMiniBlock;

constexpr double kWhole = 0x1p52;  // added to a double below it: rounds that to a whole number, in the low bits

// Whether digits that begin with zeros would be a number's first there: only those with others before them count.
STENO_INLINE bool not_first(const DigitPlaces& places, unsigned skip) {
  return places.begins_with_zero && skip + places.digits > places.width;
}

// By their signs: comparisons of doubles would be branches, for they might trap.
STENO_INLINE std::uint64_t sign_of(double number) {
  return std::bit_cast<std::uint64_t>(number) >> 63;
}

// Puts what is left of whole numbers below 2^52 when they are divided by `period` into `rests`. The quotient is right
// or one too much, its product exact.
STENO_INLINE void divide(const double* __restrict numbers, std::size_t count, double period, double* __restrict rests) {
  const double inverse = 1 / period;
  const auto more = std::bit_cast<std::uint64_t>(period);
  for (std::size_t i = 0; i < count; ++i) {
    const double quotient = (numbers[i] * inverse + kWhole) - kWhole;
    const double rest = numbers[i] - quotient * period;
    rests[i] = rest + std::bit_cast<double>((0 - sign_of(rest)) & more);
  }
}

// As many digits as a lane of `Lane` has room for: all lanes of a number at once, shifted by less than a lane. The loop
// is written in vectors of kBytes.
template <class Lane, std::size_t kBytes, class Word>
STENO_INLINE void find_in_lanes(const Word* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found) {
  using Words __attribute__((vector_size(kBytes))) = Word;
  using Lanes __attribute__((vector_size(kBytes))) = Lane;
  constexpr unsigned kDigits = 2 * sizeof(Lane);
  constexpr unsigned kBits = 8 * sizeof(Word);
  constexpr Word kAll = ~Word{0};
  const Word every = kAll / static_cast<Lane>(~Lane{0});  // 1 in each lane
  const Word mask = every * (kAll >> (kBits - 4 * places.digits));
  const auto wanted = (Lanes)(Words{} + every * static_cast<Word>(places.value));
  const unsigned shifts = std::min(kDigits, places.skips);
  Word looked_at[kDigits];  // lanes, by the shift
  for (unsigned shift = 0; shift < shifts; ++shift) {
    const unsigned bits = ((places.skips - 1 - shift) / kDigits + 1) * kDigits * 4;
    looked_at[shift] = bits < kBits ? ~(kAll << bits) : kAll;
  }
  const auto look = [&](const Word* from, Word* hits) STENO_INLINE_LAMBDA {
    Words words;
    std::memcpy(&words, from, kBytes);
    Words some = {};
    for (unsigned shift = 0; shift < shifts; ++shift) {
      some |= (Words)((Lanes)(words >> 4 * shift & mask) == wanted) & looked_at[shift];
    }
    std::memcpy(hits, &some, kBytes);
  };
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    Word hits[kMiniBlock];
    Word rest[kRow] = {};
    const Word* from = values + first;
    if (count < kRow) {
      std::copy_n(from, count, rest);
      from = rest;
    }
    for (std::size_t i = 0; i < count; i += kBytes / sizeof(Word)) look(from + i, hits + i);
    for (std::size_t i = 0; i < count; ++i) found[first + i] |= hits[i] != 0 ? 1 : 0;
  });
}

template <std::size_t kBytes, class Word>
STENO_INLINE void find_without_zeros(const Word* values, std::size_t n, const DigitPlaces& places,
                                     std::uint8_t* found) {
  if (places.digits <= 2) return find_in_lanes<std::uint8_t, kBytes>(values, n, places, found);
  if (places.digits <= 4) return find_in_lanes<std::uint16_t, kBytes>(values, n, places, found);
  if (sizeof(Word) == 4 || places.digits <= 8) {
    return find_in_lanes<std::uint32_t, kBytes>(values, n, places, found);
  }
  find_in_lanes<Word, kBytes>(values, n, places, found);
}

STENO_WITH_AVX2 void find_without_zeros_avx2(const std::uint64_t* values, std::size_t n, const DigitPlaces& places,
                                             std::uint8_t* found) {
  find_without_zeros<format::kWideVector>(values, n, places, found);
}
STENO_WITH_AVX2 void find_without_zeros_avx2(const std::uint32_t* values, std::size_t n, const DigitPlaces& places,
                                             std::uint8_t* found) {
  find_without_zeros<format::kWideVector>(values, n, places, found);
}

// Digits that begin with zeros, in numbers that need not have others before them.
template <class Word>
STENO_INLINE void find_with_zeros_in(const Word* __restrict values, std::size_t n, const DigitPlaces& places,
                                     std::uint8_t* __restrict found) {
  const unsigned bits = 4 * places.digits;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t value = places.value;
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint64_t hits[kMiniBlock];
    for (std::size_t i = 0; i < count; ++i) hits[i] = 0;
    for (unsigned skip = 0; skip < places.skips; ++skip) {
      const std::uint64_t any = not_first(places, skip) ? 0 : 1;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t from = values[first + i] >> 4 * skip;
        const std::uint64_t above = from >> (bits - 1) >> 1;
        hits[i] |= ((from & mask) == value ? 1u : 0u) & ((above | any) != 0 ? 1u : 0u);
      }
    }
    for (std::size_t i = 0; i < count; ++i) found[first + i] |= static_cast<std::uint8_t>(hits[i]);
  });
}

STENO_MULTIVERSION(void, find_with_zeros,
                   (const std::uint64_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint8_t* __restrict found),
                   (values, n, places, found)) {
  find_with_zeros_in(values, n, places, found);
}
STENO_MULTIVERSION(void, find_with_zeros,
                   (const std::uint32_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint8_t* __restrict found),
                   (values, n, places, found)) {
  find_with_zeros_in(values, n, places, found);
}

// Numbers as doubles.
STENO_MULTIVERSION(void, find_in_doubles,
                   (const std::uint64_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint64_t greatest, std::uint8_t* __restrict found),
                   (values, n, places, greatest, found)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    double numbers[kMiniBlock];
    double rests[kMiniBlock];
    std::uint64_t hits[kMiniBlock];
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = std::bit_cast<double>(values[first + i] | std::bit_cast<std::uint64_t>(kWhole)) - kWhole;
    }
    for (std::size_t i = 0; i < count; ++i) hits[i] = 0;
    double scale = 1;   // of the last digit
    double period = 1;  // of the digits
    for (unsigned k = 0; k < places.digits; ++k) period *= 10;
    for (unsigned skip = 0; skip < places.skips; ++skip, scale *= 10, period *= 10) {
      const bool whole = period > static_cast<double>(greatest);  // there is nothing before the digits
      const double above = not_first(places, skip) ? period : 0;
      if (whole && above != 0) break;
      if (!whole) divide(numbers, count, period, rests);
      const double* const digits = whole ? numbers : rests;
      const double least = static_cast<double>(places.value) * scale;
      const double end = least + scale;
      for (std::size_t i = 0; i < count; ++i) {
        hits[i] |= ~sign_of(digits[i] - least) & sign_of(digits[i] - end) & ~sign_of(numbers[i] - above);
      }
    }
    for (std::size_t i = 0; i < count; ++i) found[first + i] |= static_cast<std::uint8_t>(hits[i]);
  });
}

// Numbers below 2^31: what is left of one when it is divided by the period tells the digits. By a multiplication, whose
// factor fits into 32 bits then.
template <class Word>
STENO_INLINE void find_in_words_of(const Word* __restrict values, std::size_t n, const DigitPlaces& places,
                                   std::uint64_t greatest, std::uint8_t* __restrict found) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    std::uint32_t numbers[kMiniBlock];
    std::uint32_t rests[kMiniBlock];
    std::uint32_t hits[kMiniBlock];
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(values[first + i]);
    for (std::size_t i = 0; i < count; ++i) hits[i] = 0;
    std::uint64_t scale = 1;   // of the last digit
    std::uint64_t period = 1;  // of the digits
    for (unsigned k = 0; k < places.digits && period <= greatest; ++k) period *= 10;
    for (unsigned skip = 0; skip < places.skips && places.value * scale <= greatest; ++skip) {
      const bool whole = period > greatest;  // there is nothing before the digits
      const auto above = static_cast<std::uint32_t>(not_first(places, skip) ? period : 0);
      if (whole && above != 0) break;
      const auto least = static_cast<std::uint32_t>(places.value * scale);
      const auto span = static_cast<std::uint32_t>(std::min(scale, greatest + 1));
      if (whole) {
        for (std::size_t i = 0; i < count; ++i) hits[i] |= numbers[i] - least < span ? 1 : 0;
      } else {
        const auto width = static_cast<unsigned>(std::bit_width(period - 1));
        const auto factor = static_cast<std::uint32_t>((std::uint64_t{1} << (31 + width)) / period + 1);
        const auto divisor = static_cast<std::uint32_t>(period);
        for (std::size_t i = 0; i < count; ++i) {
          const auto high = static_cast<std::uint32_t>(std::uint64_t{numbers[i]} * factor >> 32);
          rests[i] = numbers[i] - (high >> (width - 1)) * divisor;
        }
        for (std::size_t i = 0; i < count; ++i) {
          hits[i] |= (rests[i] - least < span ? 1u : 0u) & (numbers[i] >= above ? 1u : 0u);
        }
        period *= 10;
      }
      scale *= 10;
    }
    for (std::size_t i = 0; i < count; ++i) found[first + i] |= static_cast<std::uint8_t>(hits[i]);
  });
}

STENO_MULTIVERSION(void, find_in_words,
                   (const std::uint64_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint64_t greatest, std::uint8_t* __restrict found),
                   (values, n, places, greatest, found)) {
  find_in_words_of(values, n, places, greatest, found);
}
STENO_MULTIVERSION(void, find_in_words,
                   (const std::uint32_t* __restrict values, std::size_t n, const DigitPlaces& places,
                    std::uint64_t greatest, std::uint8_t* __restrict found),
                   (values, n, places, greatest, found)) {
  find_in_words_of(values, n, places, greatest, found);
}

template <class Word>
void find_hex_in(const Word* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found) {
  if (not_first(places, places.skips - 1)) {
    find_with_zeros(values, n, places, found);
  } else if (format::have_avx2()) {
    find_without_zeros_avx2(values, n, places, found);
  } else {
    find_without_zeros<format::kBaselineVector>(values, n, places, found);
  }
}

}  // namespace

void find_decimals(const std::uint64_t* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                   std::uint8_t* found) {
  if (greatest < std::uint64_t{1} << 31) {
    find_in_words(values, n, places, greatest, found);
  } else {
    find_in_doubles(values, n, places, greatest, found);
  }
}

void find_decimals(const std::uint32_t* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                   std::uint8_t* found) {
  find_in_words(values, n, places, greatest, found);
}

void find_hex(const std::uint64_t* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found) {
  find_hex_in(values, n, places, found);
}

void find_hex(const std::uint32_t* values, std::size_t n, const DigitPlaces& places, std::uint8_t* found) {
  find_hex_in(values, n, places, found);
}

// Below 2^32 a product of doubles is wrong by 2^-22 at the most; kUnsure is more.
STENO_MULTIVERSION(bool, split_fixed,
                   (const std::uint64_t* __restrict doubles, std::size_t n, unsigned precision,
                    std::uint64_t* __restrict wholes, std::uint64_t* __restrict parts),
                   (doubles, n, precision, wholes, parts)) {
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
      const bool plain = (scaled < kMost) & (up < 0.5 - kUnsure) & (down < 0.5 - kUnsure);
      const std::uint64_t other = 0 - (doubles[i] >> 63 | (plain ? 0 : 1));  // all bits, or none; the sign of -0 too
      unsure |= other;
      const double nearest = (rounded / power + kWhole) - kWhole;
      const double whole = nearest - (nearest * power > rounded ? 1.0 : 0.0);
      wholes[i] = std::bit_cast<std::uint64_t>(whole + kWhole) & kWholeMask;
      parts[i] = (std::bit_cast<std::uint64_t>((rounded - whole * power) + kWhole) & kWholeMask) | other;
    }
    bad |= unsure;
  });
  return bad == 0;
}

}  // namespace steno::query
