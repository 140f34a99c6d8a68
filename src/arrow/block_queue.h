// The blocks that batches are made of, in turn; those of a file whose bytes come from afar are fetched ahead.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "query/block_view.h"
#include "query/filter/block_bounds.h"
#include "query/statistics/parts.h"
#include "reader/block_prefetch.h"
#include "reader/log_set.h"

namespace steno::arrow {

// For one thread at a time. Memory: kMostAhead bytes of files from afar, and a block.
class BlockQueue {
 public:
  static constexpr std::uint64_t kMostAhead = std::uint64_t{1} << 25;

  explicit BlockQueue(const reader::LogSet& logs) : logs_(logs) {}

  void add(query::BlockRef ref) { blocks_.push_back(ref); }
  // Blocks outside of these are passed over.
  void limit_to(const query::BlockBounds& bounds) { bounds_ = bounds; }
  // Blocks for which the first is false likewise. Those for which the second is true are wanted, but not their bytes.
  using Test = std::function<bool(const reader::LogFile& file, const reader::BlockEntry& entry)>;
  void limit_to(Test may_have, Test is_told) {
    may_have_ = std::move(may_have);
    is_told_ = std::move(is_told);
  }

  // False: no record of the block is wanted.
  bool is_wanted(const query::BlockRef& ref) const;
  std::size_t size() const { return blocks_.size(); }
  std::size_t taken() const { return next_; }
  // The next block that may have records that are wanted, not opened; false: there is none.
  bool peek(query::BlockRef* ref);
  // Passes it over. Requires that peek() was true.
  void pass() { ++next_; }
  // Goes on to the next block that may have records that are wanted, and opens it: view->status(). `*ref` is that
  // block. False: there is none, or failure() is not ok.
  bool next(query::BlockRef* ref, query::BlockView* view);
  // Why a source could not be read.
  const Status& failure() const { return failure_; }

 private:
  Status fetch_ahead();
  const reader::BlockPrefetch* prefetch_of(std::uint32_t file) const;

  const reader::LogSet& logs_;
  query::BlockBounds bounds_;
  Test may_have_;
  Test is_told_;
  std::vector<query::BlockRef> blocks_;
  std::size_t next_ = 0;
  std::size_t wanted_ = SIZE_MAX;  // the block that peek() has found
  std::size_t fetched_ = 0;        // blocks before this one are in the prefetch, or need none
  std::uint64_t ahead_ = std::uint64_t{1} << 22;
  // The blocks from next_ to fetched_ of one file.
  struct Ahead {
    std::uint32_t file = 0;
    std::vector<const reader::BlockEntry*> wanted;
    reader::BlockPrefetch blocks;
    Status status;
  };
  std::vector<Ahead> files_;  // in the order in which they are read
  Status failure_;
};

}  // namespace steno::arrow
