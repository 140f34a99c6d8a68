#include "reader/merge.h"

namespace steno::reader {

bool Merge::next(Slice* slice) {
  while (at_ == slices_.size()) {
    at_ = 0;
    slices_.clear();
    if (!planner_.next(&slab_)) return false;
    order_.run(slab_, pool_.options(), &slices_);
  }
  *slice = slices_[at_++];
  return true;
}

}  // namespace steno::reader
