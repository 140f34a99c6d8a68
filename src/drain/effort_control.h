// How much effort the scribe makes to write small blocks: less as long as it does not keep up with the producers.
//
// It is behind when a producer has waited for room, or when it finds a ring three quarters full: the producer is about
// to wait, or to drop. It has caught up when it finds less than a quarter, which is less than it waits for; or after a
// number of blocks in a row for which no ring was half full. That number doubles each time it falls behind again soon,
// so that a program which always logs more than can be packed with full effort is held up rarely.
//
// The scribe does what takes the longest (entropy codes) only where it has time: it finds rings less than half full,
// and has waited for work at least as long as the last took it.
#pragma once

#include <cstdint>

#include "format/data_writer.h"

namespace steno::drain {

class EffortControl {
 public:
  static constexpr unsigned kLeastCalm = 8;  // blocks in a row
  static constexpr unsigned kMostCalm = 256;

  // While the last blocks were written a producer waited for room. How full its ring is found says little then: it was
  // stopped, and has only just been let go on.
  void held_up() { held_up_ = true; }
  // For the blocks that are written next, from `now` (monotonic ns) on: `pending` bytes are in the fullest ring, of so
  // many.
  format::Effort next(std::uint64_t pending, std::uint64_t capacity, std::int64_t now);
  // They are written.
  void done(std::int64_t now);

 private:
  // Returns whether the scribe keeps up.
  bool keeps_up(std::uint64_t pending, std::uint64_t capacity);

  std::int64_t begun_ = 0;
  std::int64_t done_ = 0;
  bool held_up_ = false;
  bool behind_ = false;
  unsigned needed_ = kLeastCalm;
  unsigned calm_ = 0;          // in a row, as long as it is behind
  unsigned full_ = kMostCalm;  // in a row for which it kept up; kMostCalm: or more
};

}  // namespace steno::drain
