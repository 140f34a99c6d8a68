// Which rows of a block fulfil an expression: decided for a group as a whole where that is possible, else column by
// column.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "query/block_view.h"
#include "query/filter/bound.h"
#include "reader/log_set.h"

namespace steno::query {

enum class Verdict { kNone, kSome, kAll };

// Decided from the entry of the block alone, without a look at the block.
Verdict verdict_of_entry(const Bound& bound, const reader::LogFile& file, const reader::BlockEntry& entry);

// An expression bound to all statements of a set of files. Immutable; thread-safe.
class Predicate {
 public:
  Predicate(Expression expression, const reader::LogSet& logs);

  // The binding for a statement; binds it now if the statement is new.
  class Of {
   public:
    const Bound& operator*() const { return own_ != nullptr ? *own_ : *shared_; }

   private:
    friend class Predicate;
    const Bound* shared_ = nullptr;
    std::unique_ptr<Bound> own_;
  };
  Of of(const reader::Site& site) const;
  // Returns whether statements were bound ahead: else each look binds them anew.
  bool is_bound() const { return !entries_.empty(); }

 private:
  struct Entry {
    const reader::Site* site = nullptr;
    Bound bound;
  };
  Expression expression_;
  std::vector<Entry> entries_;  // by the site's ordinal
};

// Scratch memory; one a thread.
class Evaluator {
 public:
  // From directory, zones and dictionaries; no whole column is decoded.
  Verdict verdict(const Bound& bound, BlockView& view, std::size_t group);
  // Sets keep[row] to 0 where the expression is not true. Rows that cannot be decoded go: BlockView::status().
  void refine(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);

 private:
  Verdict message_verdict(const Bound& bound, BlockView& view, std::size_t group);
  Verdict string_verdict(const Bound& bound, BlockView& view, std::size_t group);
  Verdict thread_verdict(const Bound& bound, const BlockView& view);
  Verdict sequence_verdict(const Bound& bound, const BlockView& view);
  void refine_any(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_threads(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_sequences(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_integers(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_floats(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_wide(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_strings(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void refine_messages(const Bound& bound, BlockView& view, std::size_t group, std::span<std::uint8_t> keep);
  void keep_ends(const Automaton& automaton, const RowStates& states, bool negated, std::span<std::uint8_t> keep);
  bool string_holds(const Bound& bound, std::string_view value);

  ByteBuffer text_;
  std::vector<text::Value> values_;
  std::vector<std::uint8_t> table_;
  RowStates states_;
  std::vector<std::size_t> unknown_;  // rows of which keep_ends() knows nothing
};

}  // namespace steno::query
