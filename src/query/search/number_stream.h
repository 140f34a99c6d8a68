// The numbers of a column, a few at a time while they are in the nearest cache: for questions that look at each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "format/ints/column.h"
#include "format/ints/mini_block.h"
#include "query/block_view.h"
#include "query/ordered.h"

namespace steno::query {

// Some numbers in a row. Either `values`, as columns hold them: integers extended to 64 bits, or the bits of binary64;
// or, as they are packed, integers base + offsets[i] * factor, none of which leaves its type, so that their order is
// that of the offsets.
struct Numbers {
  std::size_t n = 0;
  const std::uint64_t* values = nullptr;
  const std::uint32_t* offsets = nullptr;
  std::uint64_t base = 0;
  std::uint64_t factor = 1;

  // The values, in `buffer` (n of them) if they are packed.
  const std::uint64_t* unpack(std::uint64_t* buffer) const {
    if (values != nullptr) return values;
    for (std::size_t i = 0; i < n; ++i) buffer[i] = base + offsets[i] * factor;
    return buffer;
  }
};

// Offsets [low, high] of packed numbers that stand for the keys [least, greatest] (ordered.h). False: none.
bool offsets_between(const Numbers& numbers, std::uint64_t flip, std::uint64_t least, std::uint64_t greatest,
                     std::uint32_t* low, std::uint32_t* high);

// Reads a column of numbers front to back. Columns of mini-blocks come one mini-block at a time, of others at most
// kMiniBlock values.
class NumberStream {
 public:
  // `kind`: what the numbers are wanted as, kind_of_type() of the column's type or kReal.
  NumberStream(BlockView& view, std::size_t group, std::size_t column, NumberKind kind);

  // The next of them, which are in the column's zone. False: that was the last, or the column is damaged:
  // BlockView::status(). Valid until the next call.
  bool next(Numbers* numbers);

 private:
  enum class Way { kWhole, kFrames, kDeltas };

  bool next_mini_block(Numbers* numbers);
  bool next_whole(Numbers* numbers);
  bool packed(std::size_t n, std::uint64_t last_offset, Numbers* numbers);
  bool in_zone(const Numbers& numbers, std::uint64_t last_offset) const;
  bool in_zone(const std::uint64_t* values, std::size_t n) const;
  void cut_to_type(std::size_t n);
  void convert(std::uint64_t* values, std::size_t n) const;

  BlockView& view_;
  std::size_t group_;
  std::size_t column_;
  ArgType type_;
  NumberKind kind_;
  Way way_ = Way::kWhole;
  std::size_t at_ = 0;
  std::size_t count_;
  ByteReader in_;
  bool zoned_ = false;
  format::Zone zone_;
  std::uint64_t flip_ = 0;  // of zone_'s order
  std::uint64_t divisor_ = 1;
  std::uint64_t start_ = 0;
  std::uint64_t previous_base_ = 0;
  format::MiniOffsets offsets_;
  alignas(64) std::uint64_t values_[format::kMiniBlock];
};

}  // namespace steno::query
