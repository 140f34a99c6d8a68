// --by time: the steps that time is cut into.
//
// In UTC, steps are multiples of their width since the epoch; those of whole weeks begin on Mondays. In the reader's
// time zone they are that of what its clocks show: a step of a day begins at midnight there, and on a day when clocks
// change it lasts 23 or 25 hours. No step begins before a change and ends after it in the clocks' own order: where an
// hour comes twice, steps of an hour or less come twice.
#pragma once

#include <cstdint>
#include <vector>

#include "query/filter/time_spec.h"

namespace steno::query {

class TimeSteps {
 public:
  // `width` in ns, at least 1.
  explicit TimeSteps(std::int64_t width = 1);
  // In the time zone of the process, as it is at the times of `span`.
  static TimeSteps local(std::int64_t width, const TimeSpan& span);

  // The beginning of the step that holds a time, and that of the next step. Times too close to the end of what 64 bits
  // hold have the last step.
  std::int64_t step_of(std::int64_t time) const;
  std::int64_t next_of(std::int64_t step) const;
  // How many steps a span touches, at most a few too many; not empty.
  std::uint64_t count(const TimeSpan& span) const;

 private:
  // From when on clocks are how far ahead of UTC. The first is from the beginning of time.
  struct Offset {
    std::int64_t from;
    std::int64_t ahead;
  };
  std::size_t offset_at(std::int64_t time) const;
  std::int64_t floor_of(std::int64_t time) const;  // as clocks show it

  std::int64_t width_;
  std::int64_t origin_;  // a beginning of a step
  std::vector<Offset> offsets_;
};

}  // namespace steno::query
