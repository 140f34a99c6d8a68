#include "format/ints/entropy_tokens.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "format/multiversion.h"

namespace steno::format {
namespace {

// Offsets whose tokens are had from floating point: it has the place of the highest bit as its exponent and the bits
// after that as its mantissa. Those below 2^52 are integers of a double, exactly.
constexpr unsigned kMantissaBits = 52;
constexpr std::uint64_t kExponentBias = 1023;
constexpr double kTwoTo52 = 4503599627370496.0;
constexpr std::size_t kBatch = 256;

std::uint16_t token_of(std::uint64_t offset, TokenForm form) {
  if (offset >> form.direct == 0) return static_cast<std::uint16_t>(offset);
  const auto high = static_cast<unsigned>(std::bit_width(offset)) - 1;
  const std::uint64_t detail = offset >> (high - form.detail) & ((1u << form.detail) - 1);
  return static_cast<std::uint16_t>((1u << form.direct) + ((high - form.direct) << form.detail) + detail);
}

STENO_MULTIVERSION(std::uint64_t, all_bits, (const std::uint64_t* offsets, std::size_t n), (offsets, n)) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < n; ++i) bits |= offsets[i];
  return bits;
}

// Requires offsets below 2^52.
STENO_MULTIVERSION(void, find_small_tokens,
                   (const std::uint64_t* __restrict offsets, std::size_t n, TokenForm form,
                    std::uint16_t* __restrict ids),
                   (offsets, n, form, ids)) {
  const std::uint64_t above = std::uint64_t{1} << form.direct;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(kTwoTo52);
  const std::uint64_t first = above - ((kExponentBias + form.direct) << form.detail);
  const unsigned shift = kMantissaBits - form.detail;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t offset = offsets[i];
    const double exact = std::bit_cast<double>(offset | exponent) - kTwoTo52;
    const std::uint64_t id = (std::bit_cast<std::uint64_t>(exact) >> shift) + first;
    ids[i] = static_cast<std::uint16_t>(offset < above ? offset : id);
  }
}

// How often offsets are no multiples.
STENO_MULTIVERSION(std::uint64_t, other_than_multiples,
                   (const std::uint64_t* offsets, std::size_t n, const Divisor& divisor), (offsets, n, divisor)) {
  const Divisor by = divisor;
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto product = static_cast<std::int64_t>(offsets[i] * by.inverse);
    differ |= static_cast<std::uint64_t>(product >> by.shift) * by.value ^ offsets[i];
  }
  return differ;
}

STENO_MULTIVERSION(void, divide, (std::uint64_t * offsets, std::size_t n, const Divisor& divisor),
                   (offsets, n, divisor)) {
  const Divisor by = divisor;
  for (std::size_t i = 0; i < n; ++i) {
    offsets[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(offsets[i] * by.inverse) >> by.shift);
  }
}

}  // namespace

TokenMeaning meaning_of(std::uint32_t id, TokenForm form) {
  if (id >> form.direct == 0) return {id, 0};
  const std::uint32_t above = id - (1u << form.direct);
  const unsigned high = form.direct + (above >> form.detail);
  const unsigned open = high - form.detail;
  const std::uint64_t head = (std::uint64_t{1} << form.detail) | (above & ((1u << form.detail) - 1));
  return {head << open, open};
}

void find_tokens(const std::uint64_t* offsets, std::size_t n, TokenForm form, std::uint16_t* ids) {
  for (std::size_t at = 0; at < n; at += kBatch) {
    const std::size_t here = std::min(kBatch, n - at);
    if (all_bits(offsets + at, here) >> kMantissaBits == 0) {
      find_small_tokens(offsets + at, here, form, ids + at);
      continue;
    }
    for (std::size_t i = at; i < at + here; ++i) ids[i] = token_of(offsets[i], form);
  }
}

void to_differences(std::uint64_t* values, std::size_t n, std::uint64_t base) {
  // Batches from the back, so that each finds the value before it as it was.
  std::uint64_t before[kBatch];
  for (std::size_t end = n; end > 1;) {
    const std::size_t here = std::min(kBatch, end - 1);
    const std::size_t at = end - here;
    std::copy_n(values + at - 1, here, before);
    for (std::size_t i = 0; i < here; ++i) values[at + i] -= before[i] + base;
    end = at;
  }
  values[0] = 0;
}

bool to_multiples(std::uint64_t* offsets, std::size_t n, const Divisor& divisor) {
  if (divisor.value == 1) return true;
  if (other_than_multiples(offsets, n, divisor) != 0) return false;
  divide(offsets, n, divisor);
  return true;
}

STENO_MULTIVERSION(void, to_zigzag, (std::uint64_t * offsets, std::size_t n), (offsets, n)) {
  for (std::size_t i = 0; i < n; ++i) offsets[i] = zigzag(static_cast<std::int64_t>(offsets[i]));
}

}  // namespace steno::format
