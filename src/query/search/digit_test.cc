#include "query/search/digit_test.h"

#include <algorithm>
#include <vector>

#include "query/search/digit_kernels.h"
#include "query/search/kernels.h"

namespace steno::query {
namespace {

using Wide = unsigned __int128;

constexpr unsigned kMostDigits = kMostDecimals;  // of 64 bits

Wide power(unsigned base, unsigned exponent) {
  Wide p = 1;
  while (exponent-- > 0) p *= base;
  return p;
}

// The values that are printed with `size` digits: from least to most.
Wide least_of(const DigitTest& test, unsigned size) {
  return size <= test.width ? Wide{0} : power(test.base, size - 1);
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

// With how many digits at most a number up to `greatest` is printed.
unsigned most_digits(const DigitTest& test, std::uint64_t greatest) {
  unsigned digits = 1;
  for (; greatest >= test.base; greatest /= test.base) ++digits;
  return std::max(digits, test.width);
}

// Where the digits of the test can lie in a number of `digits` digits, which has room for them.
DigitPlaces places_of(const DigitTest& test, unsigned digits) {
  const unsigned skips = test.where == DigitTest::Where::kLast ? 1 : digits - test.digits + 1;
  return {test.digits, skips, test.width, test.begins_with_zero, test.value};
}

// Marks the values that have the digits of the test somewhere or, if it wants that, at the end.
void mark_in(const DigitTest& test, std::span<const std::uint64_t> values, std::uint64_t greatest,
             std::uint8_t* found) {
  const unsigned digits = most_digits(test, greatest);
  if (digits < test.digits) return;
  const DigitPlaces places = places_of(test, digits);
  if (test.base == 16 && digits <= 16) {
    find_hex(values.data(), values.size(), places, found);
  } else if (test.base == 10 && greatest <= kMostAtOnce) {
    find_decimals(values.data(), values.size(), places, greatest, found);
  } else {
    for (unsigned skip = 0; skip < places.skips; ++skip) mark_at(test, skip, values, found);
  }
}

// Marks the values that begin with the digits of the test.
void mark_first(const DigitTest& test, std::span<const std::uint64_t> values, std::uint64_t greatest,
                std::uint8_t* found) {
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
  if (!make(where, piece.kind == format::PieceKind::kDecimal ? 10 : 16, piece.width, text, test)) return false;
  test->number = number;
  return true;
}

bool DigitTest::make(Where where, unsigned base, unsigned width, std::string_view text, DigitTest* test) {
  Wide value = 0;
  if (text.size() > kMostDigits) return false;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    value = value * base + digit;
  }
  if (value > UINT64_MAX) return false;
  const auto digits = static_cast<unsigned>(text.size());
  *test = {where, 0, base, width, digits, static_cast<std::uint64_t>(value), text[0] == '0'};
  if (where == Where::kAll) return digits >= width && (digits == width || text[0] != '0');
  return true;
}

void DigitTest::find(std::span<const std::uint64_t> values, std::uint64_t greatest, std::uint8_t* found) const {
  switch (where) {
    case Where::kAll:
      std::fill_n(found, values.size(), std::uint8_t{1});
      return keep_in_range(values.data(), values.size(), value, 0, 0, found);
    case Where::kFirst:
      std::fill_n(found, values.size(), std::uint8_t{0});
      return mark_first(*this, values, greatest, found);
    case Where::kLast:
    case Where::kAnywhere:
      std::fill_n(found, values.size(), std::uint8_t{0});
      return mark_in(*this, values, greatest, found);
  }
}

// The digits come again every `period` numbers.
bool DigitTest::may_hold_between(std::uint64_t least, std::uint64_t greatest) const {
  if (where == Where::kAll) return value >= least && value <= greatest;
  const unsigned most = most_digits(*this, greatest);
  if (most < digits) return false;
  const DigitPlaces places = places_of(*this, most);
  Wide scale = 1;
  Wide period = power(base, digits);
  for (unsigned skip = 0; skip < places.skips; ++skip, scale *= base, period *= base) {
    const Wide low = value * scale;
    const bool needs_more = begins_with_zero && skip + digits > width;  // other digits before the zero
    const Wide from = needs_more ? std::max(Wide{least}, period) : Wide{least};
    if (low > greatest || from > greatest) return false;
    const std::uint64_t rest = period > from ? static_cast<std::uint64_t>(from)
                                             : static_cast<std::uint64_t>(from) % static_cast<std::uint64_t>(period);
    const Wide ahead = rest < low ? low - rest : rest < low + scale ? 0 : period - rest + low;
    if (from + ahead <= greatest) return true;
  }
  return false;
}

std::uint64_t DigitTest::period() const {
  return static_cast<std::uint64_t>(std::min(power(base, digits), Wide{UINT64_MAX}));
}

bool DigitTest::is_narrow(std::uint64_t greatest) const {
  constexpr unsigned kHexDigits = 8;  // that 32 bits have
  if (where != Where::kLast && where != Where::kAnywhere) return false;
  return base == 16 ? greatest <= UINT32_MAX && width <= kHexDigits : greatest < std::uint64_t{1} << 31;
}

void DigitTest::find(std::span<const std::uint32_t> values, std::uint64_t greatest, std::uint8_t* found) const {
  std::fill_n(found, values.size(), std::uint8_t{0});
  const unsigned most = most_digits(*this, greatest);
  if (most < digits) return;
  const DigitPlaces places = places_of(*this, most);
  if (base == 16) {
    find_hex(values.data(), values.size(), places, found);
  } else {
    find_decimals(values.data(), values.size(), places, greatest, found);
  }
}

void DigitTest::apply(std::span<const std::uint64_t> values, std::span<std::uint8_t> keep) const {
  if (values.empty()) return;
  std::vector<std::uint8_t> found(values.size());
  find(values, greatest_of(values), found.data());
  keep_both(found.data(), found.size(), keep.data());
}

}  // namespace steno::query
