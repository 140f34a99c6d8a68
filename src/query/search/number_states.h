// An automaton over columns of numbers, as their digits are printed.
#pragma once

#include <cstdint>
#include <span>

#include "query/search/row_states.h"
#include "query/search/suffix.h"

namespace steno::query {

// Values in decimal or, with `hex`, in lower or upper case, in `width` digits at least.
struct NumberText {
  enum class Base : std::uint8_t { kDecimal, kLowerHex, kUpperHex };
  Base base = Base::kDecimal;
  unsigned width = 1;

  bool has_digit(char c) const;
  // How many digits the value has.
  unsigned digits(std::uint64_t value) const;
  const Automaton::Alphabet& alphabet(const Automaton& automaton) const;
};

// Leads all rows over a suffix.
void advance_suffix(const Automaton& automaton, const Suffix& suffix, RowStates* states);
// Leads each row over its number, none of which is more than `greatest`, and the suffix.
void step_numbers(const Automaton& automaton, const NumberText& text, std::span<const std::uint64_t> values,
                  std::uint64_t greatest, const Suffix& suffix, RowStates* states);

// Leads all rows over a piece and the suffix if it is one state that each state leads to, whatever the piece is:
// outcomes(state) says where it may lead. False: nothing is done.
template <class Outcomes>
[[nodiscard]] bool pass_over(const Automaton& automaton, const Suffix& suffix, const Outcomes& outcomes,
                             RowStates* states) {
  std::array<Automaton::State, 256> to{};
  bool all = true;
  states->present().each([&](Automaton::State state) {
    if (!all) return;
    StateSet after;
    outcomes(state).each([&](Automaton::State s) { after.add(suffix.after(automaton, s)); });
    all = after.single();
    to[state] = after.first();
  });
  if (all) states->map(to);
  return all;
}

// Passes states on likewise, where outcomes(state) is only a column's claim: nothing is found by that.
template <class Outcomes>
[[nodiscard]] bool pass_over_claimed(const Automaton& automaton, const Suffix& suffix, const Outcomes& outcomes,
                                     RowStates* states) {
  const auto without_found = [&](Automaton::State state) {
    if (Automaton::is_decided(state)) return StateSet(state);
    StateSet after = outcomes(state);
    bool found = false;
    after.each([&](Automaton::State s) { found = found || suffix.after(automaton, s) == Automaton::kFound; });
    if (found) after.add(Automaton::kUnknown);  // more than one state
    return after;
  };
  return pass_over(automaton, suffix, without_found, states);
}

}  // namespace steno::query
