// An automaton over columns of strings, mostly without their strings: dictionaries are asked once, shapes by their
// pieces and numbers (file.md §9.3, §9.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/scratch.h"
#include "format/strings/codec.h"
#include "format/strings/lists/read.h"
#include "format/strings/shapes/shape.h"
#include "format/strings/shared/codec.h"
#include "format/strings/words/read.h"
#include "query/search/number_search.h"
#include "query/search/pattern.h"
#include "query/search/row_states.h"

namespace steno::query {

// The states that strings of a session's shared dictionaries (file.md §12) lead to, kept from block to block. For one
// automaton and one session. Thread-safe. Memory: about kMostBytes.
class SharedTables {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  struct Table {
    std::vector<Automaton::State> next;  // by code; after those of the dictionary one for all that are lost
    StateSet present;
    std::size_t longest = 0;
  };
  // The states of codes 1 and on; that of 0 means nothing.
  template <class Run>
  std::shared_ptr<const Table> of(std::uint64_t dictionary, std::span<const std::string_view> strings,
                                  Automaton::State from, const Run& run);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, Automaton::State>, std::shared_ptr<const Table>> tables_;
  std::size_t bytes_ = 0;
};

// Untrusted columns. One a thread, as its Scratch is.
class StringStates {
 public:
  using State = Automaton::State;
  using Bytes = std::span<const std::uint8_t>;

  // For a pattern with an automaton. A null string leads to kUnknown or, with `print_null`, where "(null)" does. All
  // that is given must outlive this.
  StringStates(const Pattern& pattern, bool print_null, SharedTables* tables, const format::SharedDictionaries* shared,
               Scratch* scratch)
      : pattern_(pattern),
        automaton_(*pattern.automaton()),
        print_null_(print_null),
        tables_(tables),
        shared_(shared),
        scratch_(*scratch) {}

  // To which states any of the n strings may lead, by what the column claims; of a damaged one, all.
  StateSet outcomes(State from, Bytes column, std::size_t n);
  // The states after each string and the suffix, which comes after all of them. With `by_claims`, strings that
  // find nothing by what the column claims need not be read; damage in them is reported by who reads the column for
  // its values, and by `steno verify --content`. False: damaged, and nothing is known.
  [[nodiscard]] bool run(Bytes column, const Suffix& suffix, bool by_claims, RowStates* states);
  State next(State from, std::string_view string) const {
    return string.data() != nullptr ? automaton_.run(from, string) : after_null(from);
  }
  // The states after strings, one a row.
  void run_each(std::span<const std::string_view> strings, RowStates* states) const;
  // No string of the columns that were run is longer.
  std::size_t longest() const { return longest_; }

 private:
  // The states that a shared dictionary leads to, by state and code.
  struct Shared {
    std::array<std::shared_ptr<const SharedTables::Table>, 256> tables;
    std::array<const State*, 256> next{};
    std::size_t lost = 0;  // all codes from here on
    StateSet possible;
  };

  class TemplateRun;
  class WordRun;

  bool run_literal(std::span<const std::string_view> strings, RowStates* states) const;
  State after_null(State from) const;
  StateSet any_text(State from) const;
  StateSet part_outcomes(State from, Bytes part, std::size_t n, unsigned within, bool trusting);
  StateSet column_outcomes(State from, const format::OpenedColumn& column, bool trusting);
  StateSet texts_outcomes(State from, const format::OpenedColumn& column, bool trusting);
  StateSet joined_outcomes(State from, Bytes texts) const;
  bool pays_to_join(State from) const;
  StateSet shaped_outcomes(State from, const format::OpenedColumn& column, bool trusting);
  StateSet lists_outcomes(State from, const format::OpenedColumn& column, const format::ListColumn& list,
                          bool trusting);
  StateSet words_outcomes(State from, const format::OpenedColumn& column, const format::WordColumn& words,
                          bool trusting);
  StateSet shared_outcomes(State from, const format::SharedHead& head, std::size_t n);
  bool pass_over(const format::OpenedColumn* column, const Suffix& suffix, RowStates* states);
  bool pass_over_claims(const format::OpenedColumn& column, const Suffix& suffix, RowStates* states);
  bool run_column(ByteReader& in, unsigned within, const Suffix& suffix, RowStates* states);
  bool run_opened(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states);
  bool run_strings(const format::OpenedColumn& column, ByteReader& in, RowStates* states);
  bool run_dictionary(const format::OpenedColumn& column, ByteReader& in, RowStates* states);
  bool pass_over_shared(const format::SharedHead& head, const Suffix& suffix, RowStates* states);
  Shared tables_of(std::uint64_t dictionary, const RowStates& states);
  bool run_few_codes(const ByteReader& codes, const SharedTables::Table& table, const RowStates& others,
                     const Suffix& suffix, RowStates* states);
  bool run_shared(ByteReader& in, const Suffix& suffix, RowStates* states);
  bool run_shaped(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states);
  bool run_shape(const format::Shape& shape, const std::vector<Bytes>& varying, unsigned within, const Suffix& suffix,
                 RowStates* states);
  bool run_number(const format::Piece& piece, Bytes column, const Suffix& suffix, RowStates* states);
  bool run_part(Bytes part, unsigned within, const Suffix& suffix, RowStates* states);
  bool run_templates(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states);
  bool run_runs(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states);
  bool run_lists(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states);
  bool run_words(const format::OpenedColumn& column, ByteReader& in, const Suffix& suffix, RowStates* states);
  std::shared_ptr<const SharedTables::Table> table_of(std::uint64_t dictionary, State from);

  const Pattern& pattern_;
  const Automaton& automaton_;
  const bool print_null_;
  SharedTables* tables_;
  const format::SharedDictionaries* shared_;
  Scratch& scratch_;
  bool by_claims_ = false;
  std::size_t longest_ = 0;
};

}  // namespace steno::query
