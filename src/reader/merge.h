// The records of all files in one order, slice by slice, in one thread: a merge over rings.
//
// Sorted by (wall-clock key, session, ticks, ring), sessions in the order in which they began; a record never comes
// before an earlier one of its own ring, whatever its clock says. This is exact, not a window: the result is the stable
// sort of all records by that key. See slab_planner.h for how, and for what it holds.
#pragma once

#include <vector>

#include "reader/slab_planner.h"

namespace steno::reader {

class Merge {
 public:
  // `logs` must outlive this.
  Merge(const LogSet& logs, const ReadOptions& options) : logs_(logs), pool_(options), planner_(logs, pool_) {}

  // The next records, of those that are wanted; false at the end. The slice is valid until the next call.
  bool next(Slice* slice);

  // Complete at the end.
  std::vector<DecodeFailure> failures() const { return pool_.failures(logs_); }
  // Decoded blocks held now, for tests of the bound on memory.
  std::size_t blocks_held() const { return pool_.blocks_held(); }

 private:
  const LogSet& logs_;
  BlockPool pool_;
  SlabPlanner planner_;
  SlabOrder order_;
  Slab slab_;
  std::vector<Slice> slices_;
  std::size_t at_ = 0;
};

}  // namespace steno::reader
