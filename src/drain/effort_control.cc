#include "drain/effort_control.h"

#include <algorithm>

namespace steno::drain {

format::Effort EffortControl::next(std::uint64_t pending, std::uint64_t capacity) {
  const bool behind = pending >= capacity / 4 * 3;
  if (effort_ == format::Effort::kFull) {
    full_ = std::min(full_ + 1, kMostCalm);
    if (!behind) return effort_;
    needed_ = full_ < needed_ ? std::min(2 * needed_, kMostCalm) : kLeastCalm;
    effort_ = format::Effort::kQuick;
    calm_ = 0;
    return effort_;
  }
  calm_ = pending < capacity / 2 ? calm_ + 1 : 0;
  if (pending < capacity / 4 || calm_ >= needed_) {
    effort_ = format::Effort::kFull;
    full_ = 1;
  }
  return effort_;
}

}  // namespace steno::drain
