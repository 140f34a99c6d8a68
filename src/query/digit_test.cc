#include "query/digit_test.h"

#include <algorithm>
#include <vector>

namespace steno::query {
namespace {

using Wide = unsigned __int128;

constexpr unsigned kMostDigits = 20;  // of 64 bits, in decimal

Wide power(unsigned base, unsigned exponent) {
  Wide p = 1;
  while (exponent-- > 0) p *= base;
  return p;
}

// The values that are printed with `size` digits: from least to most.
Wide least_of(const DigitTest& test, unsigned size) {
  return size <= test.width ? Wide{0} : power(test.base, size - 1);
}

template <class Holds>
void keep_if(std::span<const std::uint64_t> values, std::span<std::uint8_t> keep, const Holds& holds) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    keep[i] = static_cast<std::uint8_t>(keep[i] & static_cast<std::uint8_t>(holds(values[i])));
  }
}

// Marks the values of which the digits above the last `skip` ones end in those of the test.
void mark_at(const DigitTest& test, unsigned skip, std::span<const std::uint64_t> values, std::uint8_t* found) {
  const Wide shift = power(test.base, skip);
  const Wide modulus = power(test.base, test.digits);
  const Wide least = least_of(test, skip + test.digits);
  if (shift > UINT64_MAX || least > UINT64_MAX) return;
  const auto divisor = static_cast<std::uint64_t>(shift);
  const auto from = static_cast<std::uint64_t>(least);
  if (modulus > UINT64_MAX) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      found[i] = static_cast<std::uint8_t>(found[i] | (values[i] >= from && values[i] / divisor == test.value ? 1 : 0));
    }
    return;
  }
  const auto period = static_cast<std::uint64_t>(modulus);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool holds = values[i] >= from && values[i] / divisor % period == test.value;
    found[i] = static_cast<std::uint8_t>(found[i] | (holds ? 1 : 0));
  }
}

// Marks the values that begin with the digits of the test.
void mark_first(const DigitTest& test, std::span<const std::uint64_t> values, std::uint8_t* found) {
  const std::uint64_t greatest = *std::max_element(values.begin(), values.end());
  for (unsigned size = std::max(test.digits, test.width); size <= std::max(kMostDigits, test.width); ++size) {
    const Wide scale = power(test.base, size - test.digits);
    const Wide low = std::max(test.value * scale, least_of(test, size));
    const Wide high = std::min((Wide{test.value} + 1) * scale, power(test.base, size));  // exclusive
    if (low > greatest) break;
    if (low >= high) continue;
    const auto from = static_cast<std::uint64_t>(low);
    const auto span = static_cast<std::uint64_t>(std::min(high - low, Wide{UINT64_MAX}));
    for (std::size_t i = 0; i < values.size(); ++i) {
      found[i] = static_cast<std::uint8_t>(found[i] | (values[i] - from < span ? 1 : 0));
    }
  }
}

}  // namespace

bool DigitTest::make(Where where, std::uint32_t number, const format::Piece& piece, std::string_view text,
                     DigitTest* test) {
  const bool decimal = piece.kind == format::PieceKind::kDecimal;
  Wide value = 0;
  if (text.size() > kMostDigits) return false;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    value = value * (decimal ? 10 : 16) + digit;
  }
  if (value > UINT64_MAX) return false;
  const auto digits = static_cast<unsigned>(text.size());
  *test = {where, number, decimal ? 10u : 16u, piece.width, digits, static_cast<std::uint64_t>(value)};
  const bool longer_than_padded = digits > piece.width;
  if (where == Where::kAll) return digits >= piece.width && (!longer_than_padded || text[0] != '0');
  return true;
}

void DigitTest::apply(std::span<const std::uint64_t> values, std::span<std::uint8_t> keep) const {
  if (values.empty()) return;
  if (where == Where::kAll) {
    const std::uint64_t all = value;
    return keep_if(values, keep, [all](std::uint64_t v) { return v == all; });
  }
  std::vector<std::uint8_t> found(values.size(), 0);
  if (where == Where::kFirst) mark_first(*this, values, found.data());
  if (where == Where::kLast) mark_at(*this, 0, values, found.data());
  if (where == Where::kAnywhere) {
    for (unsigned skip = 0; skip + digits <= std::max(kMostDigits, width); ++skip) {
      mark_at(*this, skip, values, found.data());
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) keep[i] = static_cast<std::uint8_t>(keep[i] & found[i]);
}

}  // namespace steno::query
