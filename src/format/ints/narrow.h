// Columns of integers that fit into 32 bits, some at a time: for who looks at each number once, while it is in the
// nearest cache, or passes over those that lie too far from what is looked for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/ints/codec.h"

namespace steno::format {

// An untrusted column of mini-blocks whose zone has only numbers from 0 to 2^32 - 1. A copy reads on from the same
// place.
class NarrowInts {
 public:
  // False: it is not of that kind, or damaged.
  [[nodiscard]] bool open(const ByteReader& in, IntType type, std::size_t n);
  const Zone& zone() const { return zone_; }
  // How many are left, and `count` of those, no more, in `out`: a multiple of kMiniBlock, or all that are left. False:
  // it is damaged, or not of that kind after all.
  std::size_t left() const { return left_; }
  [[nodiscard]] bool next(std::size_t count, std::uint32_t* out);
  // Passes over `count` of them by how they are packed: none is outside of `bounds`. They have not been held against
  // the zone. False: that does not tell, or not to less than `span`; where this stands is undefined then.
  [[nodiscard]] bool skip(std::size_t count, std::uint64_t span, Zone* bounds);
  // After the last of them.
  bool at_end() const { return in_.at_end(); }

 private:
  bool next_frame(std::size_t n, std::uint32_t* out);
  bool next_deltas(std::size_t n, std::uint32_t* out);
  bool extent_of(const MiniOffsets& block, std::size_t n, std::int64_t* least, std::int64_t* greatest) const;

  ByteReader in_;
  std::size_t left_ = 0;
  IntType type_;
  Zone zone_;
  bool deltas_ = false;
  std::uint64_t divisor_ = 1;
  std::uint64_t base_ = 0;
  std::uint64_t start_ = 0;  // of deltas: the first value of the mini-block
};

}  // namespace steno::format
