// Finds the columns of a group that follow from another one, or from themselves, and writes them as such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/codec_trial.h"
#include "format/known_columns.h"

namespace steno::format {

// One per writer; not thread-safe. To look for what a column follows from takes time, and is done the rarer, the more
// often there was nothing. `Relation` says what following is:
//
// - Source, Context: where the values of a column come from; what their encoders need.
// - Way: how a column follows. Its `other` is 1 + the number of the column that it follows from, or 0: from itself.
// - kMostKnown: of how many columns it is known how they follow.
// - begin(columns): a group of so many columns comes.
// - may_follow(sources, k, context): whether it is worth while to look at column k.
// - next(trial, count, context): CodecTrial's answer for a column of so many values.
// - find(sources, k, size, others, &way): how column k, which took `size` bytes, follows from one of `others`, if it
//   does.
// - append(sources, k, way, context, out): appends it so. False: it does not follow so after all.
// - still_suits(size, count, value_bytes): whether `size` bytes are as few as `value_bytes` a value let expect.
// - is_one(column): whether a column was written so.
template <class Relation>
class FollowingColumns {
 public:
  using Source = typename Relation::Source;
  using Context = typename Relation::Context;

  // A group of so many columns comes.
  void begin(std::size_t columns) {
    sources_.assign(columns, {});
    columns_.assign(columns, {});
    relation_.begin(columns);
  }
  // Where the values of column k come from, which must outlive the group. Other columns are not looked at.
  void set(std::size_t k, const Source& source) { sources_[k] = source; }
  // Comes before column k is written; `key` is what it is known by from block to block, 0: by nothing. True: it follows
  // as it did before, and was appended.
  [[nodiscard]] bool append_again(std::size_t k, std::uint64_t key, Context context, ByteBuffer& out) {
    current_ = nullptr;
    if (k >= sources_.size() || key == 0 || columns_[k].is_other || !relation_.may_follow(sources_, k, context))
      return false;
    Known& known = known_.of(key);
    const TrialUse use = relation_.next(known.trial, sources_[k].count, context);
    if (use == TrialUse::kCompare) current_ = &known;
    if (use != TrialUse::kFirst || (known.way.other != 0 && !may_be_other(known.way.other - 1, k))) return false;
    const std::size_t start = out.size();
    if (relation_.append(sources_, k, known.way, context, out) &&
        relation_.still_suits(out.size() - start, sources_[k].count, known.value_bytes)) {
      note(k, out.size() - start, &known);
      return true;
    }
    out.truncate(start);
    known.forget();
    return false;
  }
  // `out` holds column k from `start` on. Replaces that by one that follows, if that is smaller by an eighth.
  void replace(std::size_t k, std::size_t start, Context context, ByteBuffer& out) {
    constexpr std::size_t kShare = 8;
    if (current_ == nullptr) return;
    others_.clear();
    for (std::size_t other = 0; other < sources_.size(); ++other) {
      if (may_be_other(other, k)) others_.push_back(other);
    }
    // A relation that is not found counts as one that made the column larger.
    const bool found = relation_.find(sources_, k, out.size() - start, others_, &current_->way);
    const auto append_found = [&] { return found && relation_.append(sources_, k, current_->way, context, out); };
    current_->trial.compare(start, kShare, append_found, out);
    if (Relation::is_one({out.data() + start, out.size() - start})) note(k, out.size() - start, current_);
  }

 private:
  struct Known {
    CodecTrial trial;
    typename Relation::Way way;
    double value_bytes = 0;  // that a value took

    void forget() { *this = {}; }
  };
  struct Column {
    bool is_other = false;  // another column follows from it
    bool follows = false;   // it follows, from another or from itself
  };

  // There are no chains.
  bool may_be_other(std::size_t other, std::size_t k) const {
    return other != k && other < sources_.size() && sources_[other].count != 0 && !columns_[other].follows;
  }
  // Column k was written so, in so many bytes.
  void note(std::size_t k, std::size_t size, Known* known) {
    columns_[k].follows = true;
    if (known->way.other != 0) columns_[known->way.other - 1].is_other = true;
    known->value_bytes = static_cast<double>(size) / static_cast<double>(sources_[k].count);
  }

  Relation relation_;
  KnownColumns<Known, Relation::kMostKnown> known_;
  std::vector<Source> sources_;  // of the group that is under way
  std::vector<Column> columns_;
  std::vector<std::size_t> others_;
  Known* current_ = nullptr;  // of the column that is under way; nullptr: nothing is looked for
};

}  // namespace steno::format
