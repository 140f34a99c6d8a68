// A pattern in messages of one statement, without their texts: literals, columns of numbers and columns of strings lead
// an automaton through all rows of a block at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "query/block_view.h"
#include "query/search/automaton.h"
#include "query/search/number_search.h"
#include "query/search/pattern.h"
#include "query/search/row_states.h"
#include "query/search/string_states.h"
#include "reader/dictionary.h"
#include "text/printer.h"

namespace steno::query {

// The results that some texts can have.
struct Found {
  bool matches = false;
  bool others = false;
  bool unknown = false;
};
Found found_in(const Automaton& automaton, const StateSet& states);

// Immutable but for what it remembers; thread-safe.
class MessageSearch {
 public:
  // Messages of a statement that has a printer. The pattern, which must have an automaton, and the site must outlive
  // it.
  MessageSearch(const Pattern& pattern, const reader::Site& site);

  // Whatever the arguments are.
  Found of_site() const;
  // By what the columns of a block claim, without decoding them as a whole.
  Found of_block(BlockView& view, std::size_t group) const;
  // How each row ends; with `by_claims`, those that cannot match by what a column claims may end as others that do not.
  // False: a column is damaged, and nothing is known.
  [[nodiscard]] bool run(BlockView& view, std::size_t group, bool by_claims, RowStates* states) const;
  const Automaton& automaton() const { return automaton_; }

 private:
  using Field = text::Printer::Field;
  using State = Automaton::State;
  using StateMap = std::array<State, 256>;

  // A literal, then a field.
  struct Step {
    StateMap literal{};
    Field field;
    ArgType type{};
    bool is_truth = false;  // it prints "false" or "true"
    StateMap truths[2]{};
    NumberText number;                              // how an integer is printed that is neither negative nor cut off
    const Automaton::Alphabet* alphabet = nullptr;  // of other fields, but of strings
    bool may_be_empty = false;
  };

  void add_field(const reader::Site& site, const CharSet& characters, Step* step) const;
  StateSet after_field(const Step& step, State state) const;
  // of_field(step, state): the states that a field may lead to.
  template <class OfField>
  Found found_after(const OfField& of_field) const;
  static bool is_integer(const Step& step);
  static bool is_plain(const Step& step, std::uint64_t greatest);
  std::uint64_t greatest_claimed(const Step& step, const BlockView& view, std::size_t group) const;
  StateSet after_digits(const Step& step, State state, std::uint64_t greatest) const;
  Suffix suffix_of(std::size_t i) const;
  bool pass_over_claimed(const Step& step, std::uint64_t greatest, const Suffix& suffix, RowStates* states) const;
  bool run_field(std::size_t i, BlockView& view, std::size_t group, bool by_claims, StringStates* strings,
                 RowStates* states) const;
  bool run_string(const Step& step, BlockView& view, std::size_t group, const Suffix& suffix, bool by_claims,
                  StringStates* strings, RowStates* states) const;
  bool run_printed(std::size_t i, BlockView& view, std::size_t group, const Suffix& suffix, RowStates* states) const;
  bool may_be_cut(std::size_t longest, BlockView& view, std::size_t group) const;

  // In message_numbers.cc.
  bool plan(const NumberText& text, const Suffix& suffix, const RowStates& states, NumberSearch* search) const;
  bool run_integers(std::size_t i, BlockView& view, std::size_t group, const Suffix& suffix, bool by_claims,
                    RowStates* states) const;
  void run_integers(const Step& step, std::span<const std::uint64_t> values, const Suffix& suffix,
                    RowStates* states) const;
  bool run_fixed(const Step& step, BlockView& view, std::size_t group, const Suffix& suffix, bool by_claims,
                 RowStates* states) const;
  void run_numbers(const NumberText& text, std::span<const std::uint64_t> values, std::uint64_t greatest,
                   const Suffix& suffix, Scratch* scratch, RowStates* states) const;
  void run_each_fixed(const Step& step, std::span<const std::uint64_t> values, RowStates* states) const;

  const Pattern& pattern_;
  const Automaton& automaton_;
  const text::Printer& printer_;
  std::vector<Step> steps_;
  mutable SharedTables tables_;
};

}  // namespace steno::query
