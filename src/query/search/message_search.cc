#include "query/search/message_search.h"

#include <algorithm>

#include "query/search/field_characters.h"
#include "query/search/number_states.h"

namespace steno::query {
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

MessageSearch::MessageSearch(const Pattern& pattern, const reader::Site& site)
    : pattern_(pattern), automaton_(*pattern.automaton()), printer_(*site.printer()) {
  const std::vector<CharSet> characters = field_characters(site.info());
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
    case Field::Kind::kDigits:
      step->number.width = step->field.digits;
      if (step->field.ten != 0) {
        step->number.base = step->field.ten == 'a' ? NumberText::Base::kLowerHex : NumberText::Base::kUpperHex;
      }
      break;
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
  StringStates strings(pattern_, true, &tables_, view.data().shared(), &view.scratch());
  const std::size_t rows = view.groups()[group].records;
  return found_after([&](const Step& step, State state) {
    if (is_integer(step) && !Automaton::is_decided(state)) {
      const std::uint64_t greatest = greatest_claimed(step, view, group);
      return is_plain(step, greatest) ? after_digits(step, state, greatest) : after_field(step, state);
    }
    if (step.field.kind != Field::Kind::kString) return after_field(step, state);
    return strings.outcomes(state, view.data().column_bytes(group, step.field.argument), rows);
  });
}

bool MessageSearch::run(BlockView& view, std::size_t group, bool by_claims, RowStates* states) const {
  StringStates strings(pattern_, true, &tables_, view.data().shared(), &view.scratch());
  states->reset(view.groups()[group].records, automaton_.start());
  if (states->rows() == 0) return true;
  if (!steps_.empty()) states->map(steps_[0].literal);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!run_field(i, view, group, by_claims, &strings, states)) return false;
  }
  if (may_be_cut(strings.longest(), view, group)) states->set_all(Automaton::kUnknown);
  return view.status().ok();
}

// Returns whether the printer may end a message early because it grows too long. `longest` is an upper bound, not a
// close one, of the strings.
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

// The text that follows field i.
Suffix MessageSearch::suffix_of(std::size_t i) const {
  if (i + 1 == steps_.size()) return {"", true};
  const Field& next = steps_[i + 1].field;
  return {next.literal, i + 2 == steps_.size() && next.kind == Field::Kind::kNone};
}

// Over a field and what follows it up to the next one.
bool MessageSearch::run_field(std::size_t i, BlockView& view, std::size_t group, bool by_claims, StringStates* strings,
                              RowStates* states) const {
  const Step& step = steps_[i];
  if (step.field.kind == Field::Kind::kNone) return true;
  const Suffix suffix = suffix_of(i);
  if (step.field.kind == Field::Kind::kString) return run_string(step, view, group, suffix, by_claims, strings, states);
  const auto outcomes = [&](State state) { return after_field(step, state); };
  if (pass_over(automaton_, suffix, outcomes, states)) return true;
  if (is_integer(step)) return run_integers(i, view, group, suffix, by_claims, states);
  if (step.field.kind == Field::Kind::kFixed) return run_fixed(step, view, group, suffix, by_claims, states);
  if (!step.is_truth) return run_printed(i, view, group, suffix, states);
  Scratch::Array<std::uint64_t> memory(view.scratch());
  const std::span<const std::uint64_t> values = view.ints(group, step.field.argument, &memory);
  if (values.size() != states->rows()) return false;
  states->advance([&](std::size_t row, State state) { return step.truths[values[row] != 0 ? 1 : 0][state]; });
  advance_suffix(automaton_, suffix, states);
  return true;
}

bool MessageSearch::run_string(const Step& step, BlockView& view, std::size_t group, const Suffix& suffix,
                               bool by_claims, StringStates* strings, RowStates* states) const {
  if (states->all_decided()) return true;
  const std::span<const std::uint8_t> bytes = view.data().column_bytes(group, step.field.argument);
  if (!bytes.empty()) return strings->run(bytes, suffix, by_claims, states);
  const StringColumn& column = view.strings(group, step.field.argument);
  if (!column.coded && column.strings.size() != states->rows()) return false;
  if (column.coded) {
    states->advance([&](std::size_t row, State state) { return strings->next(state, column.at(row)); });
  } else {
    strings->run_each(column.strings, states);
  }
  advance_suffix(automaton_, suffix, states);
  return true;
}

bool MessageSearch::run_printed(std::size_t i, BlockView& view, std::size_t group, const Suffix& suffix,
                                RowStates* states) const {
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
  advance_suffix(automaton_, suffix, states);
  return view.status().ok();
}

}  // namespace steno::query
