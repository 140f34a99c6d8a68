// Looking for digits in columns of numbers, by the numbers: where all that matters of one, and of the literal after it,
// is whether it has certain digits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/scratch.h"
#include "format/ints/source.h"
#include "query/search/digit_test.h"
#include "query/search/number_states.h"
#include "query/search/row_states.h"
#include "query/search/suffix.h"

namespace steno::query {

// A test that decides about a number and the text after it without an automaton.
struct NumberSearch {
  bool possible = false;  // a number can have the digits
  DigitTest test;         // if so
  Automaton::State held{};
  Automaton::State other{};

  // found[i] is 1 where the test holds, else 0; empty: it holds nowhere.
  void decide(std::span<const std::uint8_t> found, RowStates* states) const { states->decide(found, held, other); }
};

// Plans such a test. False: the suffix tells apart more than whether the number brought a match, or whether it ends in
// the digits that the needle begins with. `needle`: what a text must have to match when nothing of it has been seen
// before; empty: not known. `states`: those before the number.
[[nodiscard]] bool plan_search(const Automaton& automaton, std::string_view needle, const NumberText& text,
                               const Suffix& suffix, const StateSet& states, NumberSearch* search);

// Leads each row over its number, none of which is more than `greatest`, and the suffix, as planned.
void search_numbers(const NumberSearch& search, std::span<const std::uint64_t> values, std::uint64_t greatest,
                    Scratch* scratch, RowStates* states);

// An untrusted column of integers as it lies in the file. Its numbers are these or, with `exponent`, what is printed of
// them divided by 10^exponent: with `precision` digits after the point, as a number of 10^-precision each; and of that
// what is before the point, or what is after it.
struct PackedNumbers {
  enum class Part : std::uint8_t { kAll, kWhole, kFraction };

  ByteReader column;
  format::IntType type;
  Part part = Part::kAll;
  unsigned exponent = 0;   // at least the precision
  unsigned precision = 0;  // at most text::kMaxFixedPrecision
};

// Searches the values as they are packed, some at a time. With `by_claims`, those that cannot have the digits by what
// the column says of many at once are not read. False: it cannot be done so, or the column is damaged; nothing is done.
[[nodiscard]] bool search_packed(const NumberSearch& search, const PackedNumbers& numbers, bool by_claims,
                                 Scratch* scratch, RowStates* states);

}  // namespace steno::query
