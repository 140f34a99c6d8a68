#include "query/message_search.h"

#include <algorithm>
#include <cmath>

#include "query/digit_kernels.h"
#include "query/kernels.h"
#include "query/number_states.h"
#include "text/number.h"

namespace steno::query {
namespace {

constexpr std::uint64_t kPowersOf10[] = {1,       10,        100,        1'000,       10'000,
                                         100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
static_assert(std::size(kPowersOf10) == text::kMaxFixedPrecision + 1);

}  // namespace

Found found_in(const Automaton& automaton, const StateSet& states) {
  Found found;
  states.each([&](Automaton::State state) {
    const Automaton::End end = automaton.end(state);
    found.matches |= end == Automaton::End::kMatch;
    found.others |= end == Automaton::End::kNoMatch;
    found.unknown |= end == Automaton::End::kUnknown;
  });
  return found;
}

MessageSearch::MessageSearch(const Pattern& pattern, const reader::Site& site, const MessageShape& shape)
    : pattern_(pattern), automaton_(*pattern.automaton()), printer_(*site.printer()) {
  const std::vector<CharSet> characters = shape.fields();
  std::size_t fields = 0;
  for (const Field& field : printer_.fields()) {
    Step& step = steps_.emplace_back();
    step.field = field;
    for (std::size_t s = 0; s < automaton_.states(); ++s) {
      step.literal[s] = automaton_.run(static_cast<State>(s), field.literal);
    }
    if (field.kind == Field::Kind::kNone) continue;
    add_field(site, fields < characters.size() ? characters[fields] : CharSet().set(), &step);
    ++fields;
  }
}

void MessageSearch::add_field(const reader::Site& site, const CharSet& characters, Step* step) const {
  step->type = static_cast<ArgType>(site.info().types[step->field.argument]);
  switch (step->field.kind) {
    case Field::Kind::kNone:
    case Field::Kind::kString:
      return;
    case Field::Kind::kSigned:
      step->alphabet = &automaton_.signed_digits();
      return;
    case Field::Kind::kUnsigned:
      step->alphabet = &automaton_.decimal_digits();
      return;
    case Field::Kind::kFixed:
      step->alphabet = &automaton_.fixed_digits();
      return;
    case Field::Kind::kValue:
    case Field::Kind::kOther:
      break;
  }
  step->may_be_empty = true;
  const bool number = (characters & ~set_of(Automaton::kNumberCharacters)).none();
  step->alphabet = number ? &automaton_.number_texts() : &automaton_.anything();
  step->is_truth = step->field.kind == Field::Kind::kValue && step->type == ArgType::kBool;
  for (std::size_t s = 0; step->is_truth && s < automaton_.states(); ++s) {
    step->truths[0][s] = automaton_.run(static_cast<State>(s), "false");
    step->truths[1][s] = automaton_.run(static_cast<State>(s), "true");
  }
}

// The states after a field that is no string.
StateSet MessageSearch::after_field(const Step& step, State state) const {
  StateSet all;
  if (step.field.kind == Field::Kind::kNone || Automaton::is_decided(state)) {
    all.add(state);
  } else if (step.is_truth) {
    all.add(step.truths[0][state]);
    all.add(step.truths[1][state]);
  } else {
    all = automaton_.reach(state, *step.alphabet);
    if (step.may_be_empty) all.add(state);
  }
  return all;
}

template <class OfField>
Found MessageSearch::found_after(const OfField& of_field) const {
  StateSet states(automaton_.start());
  for (const Step& step : steps_) {
    StateSet after;
    states.each([&](State s) { after |= of_field(step, step.literal[s]); });
    states = after;
  }
  return found_in(automaton_, states);
}

Found MessageSearch::of_site() const {
  return found_after([this](const Step& step, State state) {
    if (step.field.kind != Field::Kind::kString) return after_field(step, state);
    StateSet any = automaton_.reach(state, automaton_.anything());
    any.add(state);
    return any;
  });
}

Found MessageSearch::of_block(BlockView& view, std::size_t group) const {
  StringStates strings(automaton_, pattern_.literal(), true, &tables_, view.data().shared(), &view.scratch());
  const std::size_t rows = view.groups()[group].records;
  return found_after([&](const Step& step, State state) {
    if (is_integer(step) && !Automaton::is_decided(state)) {
      const std::uint64_t greatest = greatest_claimed(step, view, group);
      return is_plain(step, greatest) ? after_digits(state, greatest) : after_field(step, state);
    }
    if (step.field.kind != Field::Kind::kString) return after_field(step, state);
    return strings.outcomes(state, view.data().column_bytes(group, step.field.argument), rows);
  });
}

bool MessageSearch::run(BlockView& view, std::size_t group, bool by_claims, RowStates* states) const {
  StringStates strings(automaton_, pattern_.literal(), true, &tables_, view.data().shared(), &view.scratch());
  states->reset(view.groups()[group].records, automaton_.start());
  if (states->rows() == 0) return true;
  if (!steps_.empty()) states->map(steps_[0].literal);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!run_field(i, view, group, by_claims, &strings, states)) return false;
  }
  if (may_be_cut(strings.longest(), view, group)) states->set_all(Automaton::kUnknown);
  return view.status().ok();
}

// Whether the printer may end a message early because it grows too long. `longest` is an upper bound, not a close one,
// of the strings.
bool MessageSearch::may_be_cut(std::size_t longest, BlockView& view, std::size_t group) const {
  const std::size_t most = text::kMaxMessage / 2 / std::max<std::size_t>(1, steps_.size());
  if (longest <= most) return false;
  for (const Step& step : steps_) {
    if (step.field.kind != Field::Kind::kString) continue;
    const StringColumn& column = view.strings(group, step.field.argument);
    const std::span<const std::string_view> strings = column.coded ? column.distinct : column.strings;
    if (std::any_of(strings.begin(), strings.end(), [most](std::string_view s) { return s.size() > most; }))
      return true;
  }
  return false;
}

// Over a field and the literal after it.
bool MessageSearch::run_field(std::size_t i, BlockView& view, std::size_t group, bool by_claims, StringStates* strings,
                              RowStates* states) const {
  const Step& step = steps_[i];
  if (step.field.kind == Field::Kind::kNone) return true;
  const std::string_view literal = i + 1 < steps_.size() ? steps_[i + 1].field.literal : std::string_view();
  if (step.field.kind == Field::Kind::kString)
    return run_string(step, view, group, literal, by_claims, strings, states);
  const auto outcomes = [&](State state) { return after_field(step, state); };
  if (pass_over(automaton_, literal, outcomes, states)) return true;
  if (step.field.kind == Field::Kind::kOther || (step.field.kind == Field::Kind::kValue && !step.is_truth)) {
    run_printed(i, view, group, states);
    advance_literal(automaton_, literal, states);
    return view.status().ok();
  }
  const std::uint64_t claimed = is_integer(step) ? greatest_claimed(step, view, group) : UINT64_MAX;
  if (by_claims && claimed != UINT64_MAX && pass_over_claimed(step, claimed, literal, states)) return true;
  Scratch::Array<std::uint64_t> memory(view.scratch());
  const std::span<const std::uint64_t> values = view.ints(group, step.field.argument, &memory);
  if (values.size() != states->rows()) return false;
  if (step.field.kind == Field::Kind::kFixed) {
    run_fixed(step, values, literal, &view.scratch(), states);
  } else if (step.is_truth) {
    states->advance([&](std::size_t row, State state) { return step.truths[values[row] != 0 ? 1 : 0][state]; });
    advance_literal(automaton_, literal, states);
  } else {
    // Now the claim is known to be true.
    run_integers(step, values, claimed != UINT64_MAX ? claimed : greatest_of(values), literal, &view.scratch(), states);
  }
  return true;
}

bool MessageSearch::is_integer(const Step& step) {
  return step.field.kind == Field::Kind::kSigned || step.field.kind == Field::Kind::kUnsigned;
}

// The greatest value that a column of integers claims to have, if it claims that none is negative; else UINT64_MAX.
std::uint64_t MessageSearch::greatest_claimed(const Step& step, const BlockView& view, std::size_t group) const {
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
  if (!view.zone(group, step.field.argument, &least, &greatest)) return UINT64_MAX;
  return is_signed_integer(step.type) && static_cast<std::int64_t>(least) < 0 ? UINT64_MAX : greatest;
}

// Whether numbers up to `greatest` are printed as they are: none is negative, or cut off.
bool MessageSearch::is_plain(const Step& step, std::uint64_t greatest) {
  return greatest <= UINT64_MAX >> (step.field.shift + (step.field.kind == Field::Kind::kSigned ? 1 : 0));
}

StateSet MessageSearch::after_digits(State state, std::uint64_t greatest) const {
  return automaton_.reach(state, automaton_.decimal_digits(), 1, NumberText().digits(greatest));
}

// Over a field of numbers that claim to be no greater, if they are plain and so few digits lead each state to one
// other.
bool MessageSearch::pass_over_claimed(const Step& step, std::uint64_t greatest, std::string_view literal,
                                      RowStates* states) const {
  const auto outcomes = [&](State state) { return after_digits(state, greatest); };
  return is_plain(step, greatest) && query::pass_over_claimed(automaton_, literal, outcomes, states);
}

void MessageSearch::run_integers(const Step& step, std::span<const std::uint64_t> values, std::uint64_t greatest,
                                 std::string_view literal, Scratch* scratch, RowStates* states) const {
  const bool is_signed = step.field.kind == Field::Kind::kSigned;
  const unsigned shift = step.field.shift;
  if (is_plain(step, greatest)) {
    const auto outcomes = [&](State state) { return after_digits(state, greatest); };
    if (!pass_over(automaton_, literal, outcomes, states)) {
      advance_numbers(automaton_, pattern_.literal(), NumberText(), values, greatest, literal, scratch, states);
    }
    return;
  }
  states->advance([&](std::size_t row, State state) {
    if (!is_signed) return automaton_.run_decimal(state, text::unsigned_bits(values[row], shift));
    const std::int64_t value = text::signed_bits(values[row], shift);
    if (value >= 0) return automaton_.run_decimal(state, static_cast<std::uint64_t>(value));
    return automaton_.run_decimal(automaton_.step(state, '-'), 0 - static_cast<std::uint64_t>(value));
  });
  advance_literal(automaton_, literal, states);
}

namespace {

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

}  // namespace

void MessageSearch::run_fixed(const Step& step, std::span<const std::uint64_t> values, std::string_view literal,
                              Scratch* scratch, RowStates* states) const {
  const unsigned precision = step.field.precision;
  Scratch::Array<std::uint64_t> wholes(*scratch, values.size());
  Scratch::Array<std::uint64_t> parts(*scratch, values.size());
  if (!split_numbers(step.type, values, precision, wholes.span(), parts.span())) {
    run_each_fixed(step, values, states);
    return advance_literal(automaton_, literal, states);
  }
  const NumberText whole;
  const std::uint64_t greatest = greatest_of(wholes.span());
  const std::string_view point = precision != 0 ? "." : literal;
  const auto of_whole = [&](State state) {
    return automaton_.reach(state, automaton_.decimal_digits(), 1, whole.digits(greatest));
  };
  if (!pass_over(automaton_, point, of_whole, states)) {
    advance_numbers(automaton_, pattern_.literal(), whole, wholes.span(), greatest, point, scratch, states);
  }
  if (precision == 0) return;
  const NumberText part{.width = precision};
  const auto of_part = [&](State state) {
    return automaton_.reach(state, automaton_.decimal_digits(), precision, precision);
  };
  if (!pass_over(automaton_, literal, of_part, states)) {
    advance_numbers(automaton_, pattern_.literal(), part, parts.span(), kPowersOf10[precision] - 1, literal, scratch,
                    states);
  }
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

bool MessageSearch::run_string(const Step& step, BlockView& view, std::size_t group, std::string_view literal,
                               bool by_claims, StringStates* strings, RowStates* states) const {
  if (states->all_decided()) return true;
  const std::span<const std::uint8_t> bytes = view.data().column_bytes(group, step.field.argument);
  if (!bytes.empty()) return strings->run(bytes, literal, by_claims, states);
  const StringColumn& column = view.strings(group, step.field.argument);
  if (!column.coded && column.strings.size() != states->rows()) return false;
  states->advance([&](std::size_t row, State state) { return strings->next(state, column.at(row)); });
  advance_literal(automaton_, literal, states);
  return true;
}

void MessageSearch::run_printed(std::size_t i, BlockView& view, std::size_t group, RowStates* states) const {
  const Field& field = steps_[i].field;
  std::vector<text::Value> values(view.groups()[group].columns);
  ByteBuffer text;
  states->advance([&](std::size_t row, State state) {
    if (Automaton::is_decided(state)) return state;
    if (field.kind == Field::Kind::kValue) {
      view.value(group, field.argument, row, &values[field.argument]);
    } else {
      view.values(group, row, values.data());
    }
    text.clear();
    printer_.print_field(i, values, text);
    if (text.size() > text::kMaxMessage / 2 / steps_.size()) return Automaton::kUnknown;
    return automaton_.run(state, {reinterpret_cast<const char*>(text.data()), text.size()});
  });
}

}  // namespace steno::query
