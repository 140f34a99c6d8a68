// An automaton over what messages print of numbers (message_search.h).
#include <algorithm>
#include <cmath>

#include "format/ints/column.h"
#include "query/search/digit_kernels.h"
#include "query/search/kernels.h"
#include "query/search/message_search.h"
#include "text/number.h"

namespace steno::query {
namespace {

constexpr std::uint64_t kPowersOf10[] = {1,       10,        100,        1'000,       10'000,
                                         100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
static_assert(std::size(kPowersOf10) == text::kMaxFixedPrecision + 1);

// Into what is printed before the point and after it. False: one of the numbers is negative, too large or none.
bool split_numbers(ArgType type, std::span<const std::uint64_t> values, unsigned precision,
                   std::span<std::uint64_t> wholes, std::span<std::uint64_t> parts) {
  if (type != ArgType::kF64) {
    std::fill(parts.begin(), parts.end(), kUnsplit);
  } else if (split_fixed(values.data(), values.size(), precision, wholes.data(), parts.data())) {
    return true;
  }
  const std::uint64_t power = kPowersOf10[precision];
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (parts[row] != kUnsplit) continue;
    const double value = text::to_double(type, values[row]);
    std::uint64_t digits = 0;
    if (std::signbit(value) || !text::round_fixed(value, static_cast<int>(precision), &digits)) return false;
    wholes[row] = digits / power;
    parts[row] = digits - wholes[row] * power;
  }
  return true;
}

// Opens a column of binary64 whose values are integers below 2^31 divided by a power of ten; false: it is none. The
// printed digits of such values are known: they are 2^-22 of the last digit off at the most.
bool open_printed_decimals(ArgType type, std::span<const std::uint8_t> column, std::size_t n, unsigned precision,
                           PackedNumbers* numbers) {
  format::Zone zone;
  if (type != ArgType::kF64 || column.empty() ||
      !format::open_decimals(ByteReader(column.data(), column.size()), &numbers->exponent, &numbers->column)) {
    return false;
  }
  numbers->type = format::kTypeI64;
  numbers->precision = precision;
  return numbers->exponent >= precision && format::read_zone(numbers->column, numbers->type, n, &zone) &&
         std::max(zone.least, zone.greatest) < std::uint64_t{1} << 31;
}

}  // namespace

bool MessageSearch::is_integer(const Step& step) {
  const Field::Kind kind = step.field.kind;
  return kind == Field::Kind::kSigned || kind == Field::Kind::kUnsigned || kind == Field::Kind::kDigits;
}

// The greatest value that a column of integers claims to have, if it claims that none is negative; else UINT64_MAX.
std::uint64_t MessageSearch::greatest_claimed(const Step& step, const BlockView& view, std::size_t group) const {
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  if (!view.zone(group, step.field.argument, &least, &greatest)) return UINT64_MAX;
  return is_signed_integer(step.type) && static_cast<std::int64_t>(least) < 0 ? UINT64_MAX : greatest;
}

bool MessageSearch::is_plain(const Step& step, std::uint64_t greatest) {
  const bool is_signed = step.field.kind == Field::Kind::kSigned || step.field.is_signed;
  return text::are_numbers(greatest, step.field.shift, is_signed);
}

StateSet MessageSearch::after_digits(const Step& step, State state, std::uint64_t greatest) const {
  const NumberText& text = step.number;
  return automaton_.reach(state, text.alphabet(automaton_), text.width, text.digits(greatest));
}

// Over a field of numbers that claim to be no greater, if they are plain and so few digits lead each state to one
// other.
bool MessageSearch::pass_over_claimed(const Step& step, std::uint64_t greatest, const Suffix& suffix,
                                      RowStates* states) const {
  const auto outcomes = [&](State state) { return after_digits(step, state, greatest); };
  return is_plain(step, greatest) && query::pass_over_claimed(automaton_, suffix, outcomes, states);
}

bool MessageSearch::plan(const NumberText& text, const Suffix& suffix, const RowStates& states,
                         NumberSearch* search) const {
  return plan_search(automaton_, pattern_.literal(), text, suffix, states.present(), search);
}

bool MessageSearch::run_integers(std::size_t i, BlockView& view, std::size_t group, const Suffix& suffix,
                                 bool by_claims, RowStates* states) const {
  const Step& step = steps_[i];
  const std::uint64_t claimed = greatest_claimed(step, view, group);
  const bool plain = claimed != UINT64_MAX && is_plain(step, claimed);
  if (plain && by_claims && pass_over_claimed(step, claimed, suffix, states)) return true;
  const std::span<const std::uint8_t> column = view.data().column_bytes(group, step.field.argument);
  NumberSearch search;
  if (plain && !column.empty() && plan(step.number, suffix, *states, &search)) {
    const PackedNumbers numbers{ByteReader(column.data(), column.size()), format::IntType::of(step.type)};
    if (search_packed(search, numbers, by_claims, &view.scratch(), states)) return true;
  }
  Scratch::Array<std::uint64_t> memory(view.scratch());
  const std::span<const std::uint64_t> values = view.ints(group, step.field.argument, &memory);
  if (values.size() != states->rows()) return false;
  // A claim is known to be true now.
  const std::uint64_t greatest = claimed != UINT64_MAX ? claimed : greatest_of(values);
  if (is_plain(step, greatest)) {
    run_numbers(step.number, values, greatest, suffix, &view.scratch(), states);
  } else if (step.field.kind == Field::Kind::kDigits) {
    return run_printed(i, view, group, suffix, states);
  } else {
    run_integers(step, values, suffix, states);
  }
  return true;
}

// Those that are negative, or cut off, among them.
void MessageSearch::run_integers(const Step& step, std::span<const std::uint64_t> values, const Suffix& suffix,
                                 RowStates* states) const {
  const bool is_signed = step.field.kind == Field::Kind::kSigned;
  const unsigned shift = step.field.shift;
  states->advance([&](std::size_t row, State state) {
    if (!is_signed) return automaton_.run_decimal(state, text::unsigned_bits(values[row], shift));
    const std::int64_t value = text::signed_bits(values[row], shift);
    if (value >= 0) return automaton_.run_decimal(state, static_cast<std::uint64_t>(value));
    return automaton_.run_decimal(automaton_.step(state, '-'), 0 - static_cast<std::uint64_t>(value));
  });
  advance_suffix(automaton_, suffix, states);
}

// Over numbers up to `greatest`.
void MessageSearch::run_numbers(const NumberText& text, std::span<const std::uint64_t> values, std::uint64_t greatest,
                                const Suffix& suffix, Scratch* scratch, RowStates* states) const {
  const auto outcomes = [&](State state) {
    return automaton_.reach(state, text.alphabet(automaton_), text.width, text.digits(greatest));
  };
  NumberSearch search;
  if (pass_over(automaton_, suffix, outcomes, states)) return;
  if (plan(text, suffix, *states, &search)) {
    search_numbers(search, values, greatest, scratch, states);
  } else {
    step_numbers(automaton_, text, values, greatest, suffix, states);
  }
}

bool MessageSearch::run_fixed(const Step& step, BlockView& view, std::size_t group, const Suffix& suffix,
                              bool by_claims, RowStates* states) const {
  const unsigned precision = step.field.precision;
  const std::size_t n = states->rows();
  const NumberText whole;
  const NumberText part{.width = precision};
  const Suffix point = precision != 0 ? Suffix(".") : suffix;
  const auto any_part = [&](State state) {
    return automaton_.reach(state, automaton_.decimal_digits(), precision, precision);
  };
  NumberSearch search;
  PackedNumbers packed;
  packed.part = PackedNumbers::Part::kWhole;
  const bool whole_done =
      open_printed_decimals(step.type, view.data().column_bytes(group, step.field.argument), n, precision, &packed) &&
      plan(whole, point, *states, &search) && search_packed(search, packed, by_claims, &view.scratch(), states);
  if (whole_done) {
    if (precision == 0 || pass_over(automaton_, suffix, any_part, states)) return true;
    packed.part = PackedNumbers::Part::kFraction;
    const bool planned = plan(part, suffix, *states, &search);
    if (planned && search_packed(search, packed, by_claims, &view.scratch(), states)) return true;
  }
  Scratch::Array<std::uint64_t> memory(view.scratch());
  const std::span<const std::uint64_t> values = view.ints(group, step.field.argument, &memory);
  if (values.size() != n) return false;
  Scratch::Array<std::uint64_t> wholes(view.scratch(), n);
  Scratch::Array<std::uint64_t> parts(view.scratch(), n);
  if (!split_numbers(step.type, values, precision, wholes.span(), parts.span())) {
    if (whole_done) return false;  // what the column claims is not so
    run_each_fixed(step, values, states);
    advance_suffix(automaton_, suffix, states);
    return true;
  }
  if (!whole_done) run_numbers(whole, wholes.span(), greatest_of(wholes.span()), point, &view.scratch(), states);
  if (precision == 0) return true;
  run_numbers(part, parts.span(), kPowersOf10[precision] - 1, suffix, &view.scratch(), states);
  return true;
}

// Negative ones, and those that are too large or none, among them.
void MessageSearch::run_each_fixed(const Step& step, std::span<const std::uint64_t> values, RowStates* states) const {
  states->advance([&](std::size_t row, State state) {
    char printed[text::kMaxNumberSize];
    const char* end = text::write_fixed(text::to_double(step.type, values[row]), step.field.precision, printed);
    if (end == nullptr) return Automaton::is_decided(state) ? state : Automaton::kUnknown;
    return automaton_.run(state, {printed, static_cast<std::size_t>(end - printed)});
  });
}

}  // namespace steno::query
