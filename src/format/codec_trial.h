// Decides whether a codec that takes time, and that may bring nothing, is worth trying for the columns of one argument,
// by the results of its comparisons with other codecs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/bytes.h"
#include "format/ints/codec.h"
#include "format/known_columns.h"
#include "format/strings/context.h"

namespace steno::format {

enum class TrialUse { kNo, kFirst, kCompare };  // not at all; before other codecs; after them, if it is smaller

class CodecTrial {
 public:
  // For the next column, of so many values. Not `may_compare`: there is no time for two codecs.
  TrialUse next(std::size_t values, bool may_compare) {
    values_ = values;
    if (!pays_) {
      const bool grown = values / 2 >= failed_;
      return may_compare && (grown || patience_.is_due()) ? TrialUse::kCompare : TrialUse::kNo;
    }
    if (!may_compare) return TrialUse::kFirst;
    ++uses_;
    const bool look = uses_ < kFirstLooks || uses_ % kUsesUntilLook == 0 || std::has_single_bit(uses_);
    return look ? TrialUse::kCompare : TrialUse::kFirst;
  }
  // `out` holds the column from `start` on, by another codec. Replaces that by what `encode` appends if it returns true
  // and the other is larger by 1/share of it at least.
  template <class Encode>
  void compare(std::size_t start, std::size_t share, const Encode& encode, ByteBuffer& out) {
    const std::size_t at = out.size();
    const bool done = encode();
    const std::size_t size = out.size() - at;
    const bool smaller = done && size + size / share <= at - start;
    note(smaller);
    if (smaller) std::memmove(out.data() + start, out.data() + at, size);
    out.truncate(smaller ? start + size : at);
  }
  // Compares a column of strings that may repeat in later columns, likewise. Shared ones are left as they are at first:
  // their columns get smaller while their dictionary grows.
  template <class Encode>
  void compare_in_time(std::size_t start, std::size_t share, const Encode& encode, ByteBuffer& out) {
    const bool is_shared = static_cast<CodecId>(out.data()[start]) == CodecId::kSharedStrings;
    if (!is_shared || shared_ == kUntilFull) return compare(start, share, encode, out);
    ++shared_;
    pays_ = false;
  }
  // Returns whether the codec won the last comparison.
  bool pays() const { return pays_; }
  void forget() { *this = {}; }

 private:
  static constexpr unsigned kFirstLooks = 4;      // columns that are compared one by one: the first may be small
  static constexpr unsigned kUsesUntilLook = 32;  // columns until it is compared once more, at last; 4, 8, 16 at first
  static constexpr unsigned kUntilFull = 4;       // columns until a dictionary has what repeats, about

  void note(bool smaller) {
    if (smaller) {
      pays_ = true;
      paid_ = std::max(paid_, values_);
      patience_.worked();
    } else if (pays_ && values_ < paid_ / 2) {  // too few values: that says little, and the next ones are looked at
      paid_ /= 2;
      uses_ = 0;
    } else {
      pays_ = false;
      failed_ = std::max(failed_, values_);
      patience_.failed();
    }
  }

  bool pays_ = false;
  std::size_t values_ = 0;  // of the column under way
  std::size_t paid_ = 0;    // of the largest one for which it paid
  std::size_t failed_ = 0;  // of the largest one for which it did not: it may for one of twice as many
  unsigned uses_ = 0;
  unsigned shared_ = 0;  // columns of shared strings that were left
  Patience patience_;
};

// For the next column of strings, of a codec that is left out where there is no time.
inline TrialUse use_in_time(CodecTrial& trial, std::size_t values, const StringContext& context) {
  const TrialUse use = trial.next(values, !context.quick);
  if (!context.quick) return use;
  context.memory->left_out |= use != TrialUse::kNo;
  return TrialUse::kNo;
}

}  // namespace steno::format
