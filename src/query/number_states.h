// An automaton over columns of numbers, as their digits are printed.
#pragma once

#include <cstdint>
#include <span>

#include "query/digit_test.h"
#include "query/row_states.h"
#include "query/scratch.h"

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

// Leads all rows over a literal.
void advance_literal(const Automaton& automaton, std::string_view literal, RowStates* states);
// What decides about a number and the literal after it without an automaton.
struct NumberSearch {
  bool possible = false;  // a number can have the digits
  DigitTest test;         // if so
  Automaton::State held{};
  Automaton::State other{};

  // found[i] is 1 where the test holds, else 0; empty: it holds nowhere.
  void decide(std::span<const std::uint8_t> found, RowStates* states) const { states->decide(found, held, other); }
};

// Whether it comes to that: where the suffix, the literal after the number, tells apart no more than whether the number
// brought a match, or its end the digits that the needle begins with. `needle`: what a text must have to match when
// nothing of it has been seen before; empty: not known. `states`: those before the number.
[[nodiscard]] bool plan_search(const Automaton& automaton, std::string_view needle, const NumberText& text,
                               std::string_view suffix, const StateSet& states, NumberSearch* search);

// Leads each row over its number, none of which is more than `greatest`, and the literal after that, as planned.
void search_numbers(const NumberSearch& search, std::span<const std::uint64_t> values, std::uint64_t greatest,
                    Scratch* scratch, RowStates* states);
// The same by the automaton, where there is no plan.
void step_numbers(const Automaton& automaton, const NumberText& text, std::span<const std::uint64_t> values,
                  std::uint64_t greatest, std::string_view suffix, RowStates* states);
// Whichever of these it can be. `needle`, `suffix`: as plan_search() has them.
void advance_numbers(const Automaton& automaton, std::string_view needle, const NumberText& text,
                     std::span<const std::uint64_t> values, std::uint64_t greatest, std::string_view suffix,
                     Scratch* scratch, RowStates* states);

// Leads all rows over a piece and the literal after it if it is one state that each state leads to, whatever the
// piece is: outcomes(state) says where it may lead. False: nothing is done.
template <class Outcomes>
[[nodiscard]] bool pass_over(const Automaton& automaton, std::string_view literal, const Outcomes& outcomes,
                             RowStates* states) {
  std::array<Automaton::State, 256> to{};
  bool all = true;
  states->present().each([&](Automaton::State state) {
    if (!all) return;
    StateSet after;
    outcomes(state).each([&](Automaton::State s) { after.add(automaton.run(s, literal)); });
    all = after.single();
    to[state] = after.first();
  });
  if (all) states->map(to);
  return all;
}

// The same where outcomes(state) is only what a column claims: nothing is found by that.
template <class Outcomes>
[[nodiscard]] bool pass_over_claimed(const Automaton& automaton, std::string_view literal, const Outcomes& outcomes,
                                     RowStates* states) {
  const auto without_found = [&](Automaton::State state) {
    if (Automaton::is_decided(state)) return StateSet(state);
    StateSet after = outcomes(state);
    bool found = false;
    after.each([&](Automaton::State s) { found = found || automaton.run(s, literal) == Automaton::kFound; });
    if (found) after.add(Automaton::kUnknown);  // more than one state
    return after;
  };
  return pass_over(automaton, literal, without_found, states);
}

}  // namespace steno::query
