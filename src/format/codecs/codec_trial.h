// Whether a codec that takes time, and that may bring nothing, is worth it for the columns of one argument: by what
// came of it when it was compared with others.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/bytes.h"
#include "format/codecs/known_columns.h"
#include "format/codecs/string_codec.h"

namespace steno::format {

enum class TrialUse { kNo, kFirst, kCompare };  // not at all; before other codecs; after them, if it is smaller

class CodecTrial {
 public:
  // For the next column. Not `may_compare`: there is no time for two codecs.
  TrialUse next(bool may_compare) {
    if (!pays_) return may_compare && patience_.is_due() ? TrialUse::kCompare : TrialUse::kNo;
    if (!may_compare) return TrialUse::kFirst;
    ++uses_;
    return uses_ < kFirstLooks || uses_ % kUsesUntilLook == 0 ? TrialUse::kCompare : TrialUse::kFirst;
  }
  // `out` holds the column from `start` on, by another codec. Replaces that by what `encode` appends if it returns true
  // and the other is larger by 1/share of it at least.
  template <class Encode>
  void compare(std::size_t start, std::size_t share, const Encode& encode, ByteBuffer& out) {
    const std::size_t at = out.size();
    const bool done = encode();
    const std::size_t size = out.size() - at;
    pays_ = done && size + size / share <= at - start;
    pays_ ? patience_.worked() : patience_.failed();
    if (pays_) std::memmove(out.data() + start, out.data() + at, size);
    out.truncate(pays_ ? start + size : at);
  }
  // The same of strings that may repeat in later columns. Shared ones are left as they are at first: their columns get
  // smaller while their dictionary grows.
  template <class Encode>
  void compare_in_time(std::size_t start, std::size_t share, const Encode& encode, ByteBuffer& out) {
    const bool is_shared = static_cast<CodecId>(out.data()[start]) == CodecId::kSharedStrings;
    if (!is_shared || shared_ == kUntilFull) return compare(start, share, encode, out);
    ++shared_;
    pays_ = false;
  }
  void forget() { *this = {}; }

 private:
  static constexpr unsigned kFirstLooks = 4;      // columns that are compared one by one: the first may be small
  static constexpr unsigned kUsesUntilLook = 32;  // columns until it is compared once more
  static constexpr unsigned kUntilFull = 4;       // columns until a dictionary has what repeats, about

  bool pays_ = false;
  unsigned uses_ = 0;
  unsigned shared_ = 0;  // columns of shared strings that were left
  Patience patience_;
};

// Whether a column of strings is one that such codecs are tried for: known by something, of enough strings that are
// long enough on average, and not within any of `others`.
inline bool may_be_tried(const StringSource& source, const StringScratch& scratch, unsigned others,
                         std::size_t least_length) {
  constexpr std::size_t kLeastStrings = 64;  // fewer do not pay for templates, dictionaries or the like
  return scratch.column != 0 && (scratch.within & others) == 0 && source.count >= kLeastStrings &&
         sampled_bits(source) >= 8 * least_length;
}

// For the next column of strings, of a codec that is left out where there is no time.
inline TrialUse use_in_time(CodecTrial& trial, StringScratch& scratch) {
  const TrialUse use = trial.next(!scratch.quick);
  if (!scratch.quick) return use;
  scratch.left_out = scratch.left_out || use != TrialUse::kNo;
  return TrialUse::kNo;
}

}  // namespace steno::format
