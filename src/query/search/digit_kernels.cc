#include "query/search/digit_kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/ints/kernels.h"
#include "format/multiversion.h"
#include "query/by_blocks.h"

namespace steno::query {
namespace {

using format::kMiniBlock;

constexpr double kWhole = 0x1p52;  // added to a double below it: rounds that to a whole number, in the low bits

// Returns whether digits that begin with zeros would be a number's first after `skip`: only those with others before
// them count.
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

// Compares as many digits as a `Lane` has room for: all lanes of a number at once, shifted by less than a lane. The
// loop is written in vectors of kBytes.
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

// Division of numbers below 2^31 by a multiplication, whose factor fits into 32 bits then.
struct WordDivisor {
  std::uint32_t divisor;
  std::uint32_t factor;
  unsigned shift;

  explicit WordDivisor(std::uint64_t by)
      : divisor(static_cast<std::uint32_t>(by)), shift(static_cast<unsigned>(std::bit_width(by - 1)) - 1) {
    factor = static_cast<std::uint32_t>((std::uint64_t{1} << (32 + shift)) / by + 1);
  }
  STENO_INLINE std::uint32_t quotient(std::uint32_t number) const {
    return static_cast<std::uint32_t>(std::uint64_t{number} * factor >> 32) >> shift;
  }
};

// For numbers below 2^31: the remainder of the division by the period determines the digits.
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
        const WordDivisor by(period);
        for (std::size_t i = 0; i < count; ++i) rests[i] = numbers[i] - by.quotient(numbers[i]) * by.divisor;
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

STENO_MULTIVERSION(void, divide_each,
                   (std::uint32_t * values, std::size_t n, std::uint32_t divisor, std::uint32_t rest),
                   (values, n, divisor, rest)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    const WordDivisor by(divisor);
    std::uint32_t* const numbers = values + first;
    if (rest != 0) {
      for (std::size_t i = 0; i < count; ++i) numbers[i] -= by.quotient(numbers[i]) * by.divisor;
    } else {
      for (std::size_t i = 0; i < count; ++i) numbers[i] = by.quotient(numbers[i]);
    }
  });
}

STENO_MULTIVERSION(void, round_each,
                   (std::uint32_t* __restrict values, std::size_t n, std::uint32_t divisor,
                    std::uint8_t* __restrict ties, std::uint32_t* __restrict any),
                   (values, n, divisor, ties, any)) {
  by_blocks(n, [=](std::size_t first, std::size_t count) STENO_INLINE_LAMBDA {
    const WordDivisor by(divisor);
    const std::uint32_t half = divisor / 2;
    std::uint32_t middle[kMiniBlock];
    std::uint32_t some = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t quotient = by.quotient(values[first + i]);
      const std::uint32_t rest = values[first + i] - quotient * by.divisor;
      middle[i] = rest == half ? 1 : 0;
      some |= middle[i];
      values[first + i] = quotient + (rest > half ? 1 : 0);
    }
    for (std::size_t i = 0; i < count; ++i) ties[first + i] = static_cast<std::uint8_t>(middle[i]);
    *any |= some;
  });
}

// Numbers below it are divided as floats: (n + 1/2) / period is 1/2 period away from an integer at least, and the
// floats are less than that off.
constexpr std::uint64_t kFewDigits = std::uint64_t{1} << 22;

// One place of the digits: what is left of a number when it is divided by the period, less `least`, is below `span`.
struct DigitPlace {
  float inverse = 0;  // of the period; 0: that is more than all numbers
  std::uint32_t period = 0;
  std::uint32_t least = 0;
  std::uint32_t span = 0;
};
constexpr unsigned kMostPlaces = 8;  // in numbers below kFewDigits; in the last one zeros are before all of them

// The places in numbers up to `greatest`, which is below kFewDigits. Requires that the digits do not begin with zeros
// that may be a number's first ones.
STENO_INLINE unsigned list_places(const DigitPlaces& places, std::uint64_t greatest, DigitPlace* list) {
  std::uint64_t scale = 1;   // of the last digit
  std::uint64_t period = 1;  // of the digits
  unsigned count = 0;
  for (unsigned k = 0; k < places.digits && period <= greatest; ++k) period *= 10;
  for (unsigned skip = 0; skip < places.skips && places.value * scale <= greatest && count < kMostPlaces; ++skip) {
    const bool whole = period > greatest;  // there is nothing before the digits
    list[count++] = {whole ? 0 : 1 / static_cast<float>(period), static_cast<std::uint32_t>(period),
                     static_cast<std::uint32_t>(places.value * scale), static_cast<std::uint32_t>(scale)};
    if (!whole) period *= 10;
    scale *= 10;
  }
  return count;
}

// A few numbers in all places, while they are in registers.
using Words __attribute__((vector_size(format::kWideVector))) = std::uint32_t;
using SignedWords __attribute__((vector_size(format::kWideVector))) = std::int32_t;
using Floats __attribute__((vector_size(format::kWideVector))) = float;

STENO_INLINE void test_place(const Words& numbers, const Floats& middles, const DigitPlace& place, Words* some) {
  const Words quotients = (Words) __builtin_convertvector(middles * place.inverse, SignedWords);
  *some |= (Words)(numbers - quotients * place.period - place.least < place.span);
}

template <class Word>
STENO_INLINE void find_in_few(const Word* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                              std::uint8_t* found) {
  static_assert(kRow * sizeof(std::uint32_t) == 2 * sizeof(Words));
  DigitPlace list[kMostPlaces];
  const unsigned count = list_places(places, greatest, list);
  const auto look = [&](const std::uint32_t* from, std::uint32_t* hits) STENO_INLINE_LAMBDA {
    Words first;
    Words second;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&second, from + kRow / 2, sizeof second);
    const Floats first_middles = __builtin_convertvector((SignedWords)first, Floats) + 0.5F;
    const Floats second_middles = __builtin_convertvector((SignedWords)second, Floats) + 0.5F;
    Words some = {};
    Words others = {};
    for (unsigned k = 0; k < count; ++k) {
      test_place(first, first_middles, list[k], &some);
      test_place(second, second_middles, list[k], &others);
    }
    std::memcpy(hits, &some, sizeof some);
    std::memcpy(hits + kRow / 2, &others, sizeof others);
  };
  by_blocks(n, [=](std::size_t first, std::size_t size) STENO_INLINE_LAMBDA {
    std::uint32_t numbers[kMiniBlock];
    std::uint32_t hits[kMiniBlock];
    for (std::size_t i = 0; i < size; ++i) numbers[i] = static_cast<std::uint32_t>(values[first + i]);
    for (std::size_t i = size; i < kRow; ++i) numbers[i] = 0;
    for (std::size_t i = 0; i < size; i += kRow) look(numbers + i, hits + i);
    for (std::size_t i = 0; i < size; ++i) found[first + i] |= hits[i] != 0 ? 1 : 0;
  });
}

STENO_WITH_AVX2 void find_in_few_avx2(const std::uint64_t* values, std::size_t n, const DigitPlaces& places,
                                      std::uint64_t greatest, std::uint8_t* found) {
  find_in_few(values, n, places, greatest, found);
}
STENO_WITH_AVX2 void find_in_few_avx2(const std::uint32_t* values, std::size_t n, const DigitPlaces& places,
                                      std::uint64_t greatest, std::uint8_t* found) {
  find_in_few(values, n, places, greatest, found);
}

// Numbers below 2^31.
template <class Word>
void find_narrow_decimals(const Word* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                          std::uint8_t* found) {
  if (greatest < kFewDigits && !not_first(places, places.skips - 1) && format::have_avx2()) {
    find_in_few_avx2(values, n, places, greatest, found);
  } else {
    find_in_words(values, n, places, greatest, found);
  }
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
    find_narrow_decimals(values, n, places, greatest, found);
  } else {
    find_in_doubles(values, n, places, greatest, found);
  }
}

void find_decimals(const std::uint32_t* values, std::size_t n, const DigitPlaces& places, std::uint64_t greatest,
                   std::uint8_t* found) {
  find_narrow_decimals(values, n, places, greatest, found);
}

void divide_words(std::uint32_t* values, std::size_t n, std::uint32_t divisor, bool rest) {
  divide_each(values, n, divisor, rest ? 1 : 0);
}

std::uint32_t round_words(std::uint32_t* values, std::size_t n, std::uint32_t divisor, std::uint8_t* ties) {
  std::uint32_t any = 0;
  round_each(values, n, divisor, ties, &any);
  return any;
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
  constexpr double kMostExact = 0x1p32;
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
      const bool plain = (scaled < kMostExact) & (up < 0.5 - kUnsure) & (down < 0.5 - kUnsure);
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
