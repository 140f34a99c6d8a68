// Which clock points a session needs (file.md §4): a straight line from counter to wall clock, with a knot wherever the
// wall clock leaves it (NTP slew, steps, the first estimate's error).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "format/clock_block.h"

namespace steno::drain {

// How far the wall clock may stray from the line before a knot is due, on top of the reading's own uncertainty.
inline constexpr std::int64_t kToleranceNs = 100;
// Farther than this it was set, not slewed.
inline constexpr std::int64_t kStepNs = 1'000'000;
// With so many points a session begins at most, of those of the one before: the latest two, and those of a second
// before. A call that is interrupted between its look at the clock and its record may come a few rotations late.
// Staging has room for a few more (ring::kClockSlots).
inline constexpr std::size_t kPointsKept = 12;
inline constexpr std::int64_t kPointsKeptNs = 1'000'000'000;

// Not thread-safe; the scribe's.
class ClockModel {
 public:
  // `reading` at the session's start, and the first estimate of the rate.
  ClockModel(const ClockReading& reading, double ns_per_tick);

  // Takes one more reading and appends the points that it makes necessary; `force`: at least one. Readings come in
  // order.
  // `quiet_since`: no record is dated between these ticks and the reading but by the reading's clock. If the wall clock
  // was set meanwhile, it counts as set then. 0: any record may be.
  void update(const ClockReading& reading, bool force, std::vector<format::ClockPoint>* points,
              std::uint64_t quiet_since = 0);

  // A new session goes on with the same line, so that its times follow those of the one before without a seam: the next
  // update() begins with the last points, for records that were logged before and are drained later.
  void begin_session() { first_ = true; }
  // The point that the line comes from is in the session already.
  void go_on() { first_ = false; }

  std::int64_t wall_of(std::uint64_t ticks) const;
  double ns_per_tick() const { return ns_per_tick_; }

 private:
  void update_rate(const ClockReading& knot, const ClockReading& reading, std::int64_t tolerance);
  // `doubt`: uncertainty on top of the reading's own.
  void add_knot(const ClockReading& reading, std::int64_t doubt, std::uint32_t flags,
                std::vector<format::ClockPoint>* points);
  void begin_line(std::vector<format::ClockPoint>* points);

  ClockReading knot_;    // the last point written
  ClockReading last_;    // the last reading that was on the line
  ClockReading origin_;  // since when the rate has been about what it is: the longer ago, the better known it is
  double ns_per_tick_;
  std::int64_t strayed_ = 0;     // farthest that a reading since knot_ was off the line, its own uncertainty taken off
  std::int64_t last_stray_ = 0;  // of last_, as it is
  bool stepped_ = false;         // the last point but those of unchanged lines was a step
  bool first_ = true;
  std::array<format::ClockPoint, kPointsKept> written_{};  // the last points, the latest last
  std::size_t written_count_ = 0;                          // points in written_
};

}  // namespace steno::drain
