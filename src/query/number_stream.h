// The numbers of a column, a few at a time while they are in the nearest cache: for questions that look at each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "format/codecs/kernels.h"
#include "query/block_view.h"
#include "query/ordered.h"

namespace steno::query {

// Reads a column of numbers front to back. Columns of mini-blocks are unpacked one mini-block at a time; others as a
// whole.
class NumberStream {
 public:
  // `kind`: what the numbers are wanted as, kind_of_type() of the column's type or kReal.
  NumberStream(BlockView& view, std::size_t group, std::size_t column, NumberKind kind);

  // The next of them, as columns hold them (moments.h); nullptr at the end, or where the column is damaged:
  // BlockView::status(). Valid until the next call.
  const std::uint64_t* next(std::size_t* n);

 private:
  enum class Way { kWhole, kFrames, kDeltas };

  bool next_mini_block(std::size_t n);
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
  std::uint64_t divisor_ = 1;
  std::uint64_t start_ = 0;
  std::uint64_t previous_base_ = 0;
  std::vector<std::uint64_t> converted_;
  alignas(64) std::uint64_t values_[format::kMiniBlock];
};

}  // namespace steno::query
