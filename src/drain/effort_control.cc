#include "drain/effort_control.h"

#include <algorithm>
#include <utility>

namespace steno::drain {

format::Effort EffortControl::next(std::uint64_t pending, std::uint64_t capacity, std::int64_t now) {
  const bool has_time = now - done_ >= done_ - begun_;
  begun_ = done_ = now;
  if (!keeps_up(std::exchange(held_up_, false) ? capacity : pending, capacity)) return format::Effort::kQuick;
  return has_time && pending < capacity / 2 ? format::Effort::kFull : format::Effort::kBrisk;
}

void EffortControl::done(std::int64_t now) {
  done_ = now;
}

bool EffortControl::keeps_up(std::uint64_t pending, std::uint64_t capacity) {
  if (!behind_) {
    full_ = std::min(full_ + 1, kMostCalm);
    if (pending < capacity / 4 * 3) return true;
    needed_ = full_ < needed_ ? std::min(2 * needed_, kMostCalm) : kLeastCalm;
    behind_ = true;
    calm_ = 0;
    return false;
  }
  calm_ = pending < capacity / 2 ? calm_ + 1 : 0;
  if (pending < capacity / 4 || calm_ >= needed_) {
    behind_ = false;
    full_ = 1;
  }
  return !behind_;
}

}  // namespace steno::drain
