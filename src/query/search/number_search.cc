#include "query/search/number_search.h"

#include <algorithm>

#include "format/ints/column.h"
#include "format/ints/narrow.h"
#include "query/search/digit_kernels.h"
#include "text/number.h"

namespace steno::query {
namespace {

using State = Automaton::State;

using Wide = unsigned __int128;

constexpr std::size_t kAtOnce = 8 * format::kMiniBlock;    // numbers that stay in the nearest cache
constexpr std::uint64_t kNarrow = std::uint64_t{1} << 31;  // what is divided is below
constexpr std::uint64_t kManyValues = std::uint64_t{1} << 40;

std::uint64_t power_of_10(unsigned exponent) {
  std::uint64_t power = 1;
  for (; exponent != 0; --exponent) power *= 10;
  return power;
}

// How values become numbers.
class Conversion {
 public:
  explicit Conversion(const PackedNumbers& numbers)
      : numbers_(numbers),
        dropped_(power_of_10(numbers.exponent - numbers.precision)),
        power_(numbers.part == PackedNumbers::Part::kAll ? 1 : power_of_10(numbers.precision)) {}

  // Returns whether convert() may be called for values up to `greatest`.
  bool fits(std::uint64_t greatest) const {
    return (dropped_ == 1 && power_ == 1) || (greatest < kNarrow && dropped_ < kNarrow);
  }
  // The least and the greatest number of values in a zone.
  format::Zone of(const format::Zone& zone) const {
    if (numbers_.part == PackedNumbers::Part::kFraction) return {0, power_ - 1};
    return {zone.least / dropped_ / power_, (zone.greatest / dropped_ + (dropped_ != 1 ? 1 : 0)) / power_};
  }
  // Among so many values in a row are the numbers of a period.
  std::uint64_t span_of(std::uint64_t period) const {
    const Wide span = static_cast<Wide>(period) * dropped_ * power_;
    if (numbers_.part == PackedNumbers::Part::kFraction) return 0;
    return static_cast<std::uint64_t>(std::min<Wide>(span, kManyValues));
  }
  void convert(std::uint32_t* values, std::size_t n) const {
    if (dropped_ != 1) round(values, n);
    if (power_ == 1) return;
    divide_words(values, n, static_cast<std::uint32_t>(power_), numbers_.part == PackedNumbers::Part::kFraction);
  }

 private:
  // A value between two numbers is binary and not quite there: it is rounded as it is printed.
  void round(std::uint32_t* values, std::size_t n) const {
    const auto dropped = static_cast<std::uint32_t>(dropped_);
    std::uint8_t ties[kAtOnce];
    if (round_words(values, n, dropped, ties) == 0) return;
    const auto scale = static_cast<double>(power_of_10(numbers_.exponent));
    for (std::size_t i = 0; i < n; ++i) {
      if (ties[i] == 0) continue;
      const double value = (static_cast<double>(values[i]) * dropped + dropped / 2) / scale;
      std::uint64_t digits = 0;
      (void)text::round_fixed(value, static_cast<int>(numbers_.precision), &digits);  // so small are not refused
      values[i] = static_cast<std::uint32_t>(digits);
    }
  }

  const PackedNumbers& numbers_;
  const std::uint64_t dropped_;  // divides the values by it, which rounds
  const std::uint64_t power_;    // then the number by it, to have what is before the point
};

// Skips the next `count` values if none of their numbers can have the digits. False: nothing was skipped.
bool pass_over_some(const DigitTest& test, const Conversion& conversion, std::size_t count, std::uint64_t span,
                    format::NarrowInts* values) {
  format::NarrowInts ahead = *values;
  format::Zone bounds;
  if (!ahead.skip(count, span, &bounds)) return false;
  bounds = conversion.of(bounds);
  if (test.may_hold_between(bounds.least, bounds.greatest)) return false;
  *values = ahead;
  return true;
}

}  // namespace

bool plan_search(const Automaton& automaton, std::string_view needle, const NumberText& text, const Suffix& suffix,
                 const StateSet& states, NumberSearch* search) {
  if (needle.empty()) return false;
  const State start = automaton.start();
  bool fresh = automaton.run(start, needle) == Automaton::kFound;  // found anywhere, not as a whole
  states.each([&](State state) { fresh = fresh && (state == start || Automaton::is_decided(state)); });
  if (!fresh) return false;
  const auto end = std::find_if(needle.begin(), needle.end(), [&](char c) { return !text.has_digit(c); });
  const std::string_view digits(needle.begin(), end);
  if (digits.empty()) return false;
  search->other = suffix.after(automaton, start);
  for (std::size_t n = 1; n < digits.size(); ++n) {
    if (suffix.after(automaton, automaton.run(start, digits.substr(0, n))) != search->other) return false;
  }
  search->held = suffix.after(automaton, automaton.run(start, digits));
  const auto where = digits.size() == needle.size() ? DigitTest::Where::kAnywhere : DigitTest::Where::kLast;
  const unsigned base = text.base == NumberText::Base::kDecimal ? 10 : 16;
  search->possible = DigitTest::make(where, base, text.width, digits, &search->test);
  return true;
}

void search_numbers(const NumberSearch& search, std::span<const std::uint64_t> values, std::uint64_t greatest,
                    Scratch* scratch, RowStates* states) {
  Scratch::Array<std::uint8_t> found(*scratch);
  if (search.possible) {
    found.resize(values.size());
    search.test.find(values, greatest, found.data());
  }
  search.decide(found.span(), states);
}

bool search_packed(const NumberSearch& search, const PackedNumbers& numbers, bool by_claims, Scratch* scratch,
                   RowStates* states) {
  const DigitTest& test = search.test;
  format::Zone zone;
  if (!format::read_zone(numbers.column, numbers.type, states->rows(), &zone)) return false;
  if (zone.least > zone.greatest || zone.greatest > INT64_MAX) return false;  // of signed ones: some are negative
  const Conversion conversion(numbers);
  const format::Zone claimed = conversion.of(zone);
  if (by_claims && !(search.possible && test.may_hold_between(claimed.least, claimed.greatest))) {
    search.decide({}, states);
    return true;
  }
  if (!search.possible || !test.is_narrow(std::max(zone.greatest, claimed.greatest))) return false;
  if (!conversion.fits(zone.greatest)) return false;
  format::NarrowInts values;
  if (!values.open(numbers.column, numbers.type, states->rows())) return false;
  const std::uint64_t span = by_claims ? conversion.span_of(test.period()) : 0;
  Scratch::Array<std::uint8_t> found(*scratch, states->rows());
  alignas(64) std::uint32_t some[kAtOnce];
  for (std::uint8_t* to = found.data(); values.left() != 0;) {
    const std::size_t n = std::min(kAtOnce, values.left());
    if (span != 0 && pass_over_some(test, conversion, n, span, &values)) {
      std::fill_n(to, n, std::uint8_t{0});
    } else {
      if (!values.next(n, some)) return false;
      conversion.convert(some, n);
      test.find(std::span<const std::uint32_t>(some, n), claimed.greatest, to);
    }
    to += n;
  }
  if (!values.at_end()) return false;
  search.decide(found.span(), states);
  return true;
}

}  // namespace steno::query
