// Ticks to wall-clock nanoseconds by the lines between clock points (file.md §4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/clock_block.h"

namespace steno::reader {

// Immutable once made; const members are thread-safe. Copies share their lines.
//
// Within a line the result is floor(wall0 + (ticks - ticks0) * (wall1 - wall0) / (ticks1 - ticks0)) in exact integer
// arithmetic, so nanoseconds stay true over years. A line that ends in a point flagged as a step is not followed: up to
// the step the point before it goes on at its own rate. Results saturate at the ends of int64.
class ClockMap {
 public:
  // Ticks are nanoseconds since the epoch.
  ClockMap();
  // Points in any order; `fallback_ns_per_tick` replaces a rate that makes no sense. Requires at least one point.
  ClockMap(std::vector<format::ClockPoint> points, double fallback_ns_per_tick);

  std::int64_t wall(std::uint64_t ticks) const;
  // This clock with `ns` added to all its times, saturating.
  ClockMap moved(std::int64_t ns) const;

  // wall() of each. Fast for ticks that are nearly in order.
  void walls(std::span<const std::uint64_t> ticks, std::int64_t* out) const;

  // How far wall() may be from what the clock said at that moment, in ns: what the points around it promise. After the
  // last point it is that point's, which holds while the clock runs on at its rate.
  std::uint32_t uncertainty(std::uint64_t ticks) const { return (*lines_)[find(ticks, 0)].uncertainty; }

  // wall() made non-decreasing in ticks: where the wall clock was set back, time stands still until it has caught up.
  // The merge sorts by this key, so that the order of a session is the order of its clock.
  std::int64_t merge_key(std::uint64_t ticks) const;
  void merge_keys(std::span<const std::uint64_t> ticks, std::int64_t* out) const;
  // True: merge_key() is wall().
  bool monotone() const { return monotone_; }
  // The bounds of all ticks between these two. False: unknown, for time goes back.
  bool wall_bounds(std::uint64_t least, std::uint64_t greatest, std::int64_t* first, std::int64_t* last) const {
    if (!monotone_) return false;
    *first = wall(least);
    *last = wall(greatest);
    return true;
  }

 private:
  // wall = wall0 + floor(rate * (ticks - ticks0)) for ticks in [begin, next line's begin).
  struct Line {
    std::uint64_t begin = 0;
    std::uint64_t ticks0 = 0;
    std::int64_t wall0 = 0;
    std::uint64_t rate_whole = 1;  // rate as 64.64 fixed point, rounded down
    std::uint64_t rate_fraction = 0;
    std::uint64_t d_ticks = 0;  // 0: the rate is what is given, else it is d_wall / d_ticks exactly
    std::uint64_t d_wall = 0;
    std::uint32_t uncertainty = 0;
    bool falling = false;            // d_wall is to be taken negative: a clock that went back without a flag
    std::int64_t floor = INT64_MIN;  // merge keys in this line are not below

    std::int64_t at(std::uint64_t ticks) const;
    // Returns whether the line rises, at a rate with which usual_at() is right for nearly all ticks less than 2^40
    // after ticks0. usual_at() returns false for the others.
    bool is_usual() const;
    bool usual_at(std::uint64_t ticks, std::int64_t* wall) const;
  };

  void keep(std::vector<Line> lines);
  static Line line_from(const format::ClockPoint& point, double fallback_ns_per_tick);
  static Line line_between(const format::ClockPoint& from, const format::ClockPoint& to);
  static bool find_floors(std::vector<Line>* lines);
  std::size_t find(std::uint64_t ticks, std::size_t hint) const;
  template <bool kKeys>
  void convert(std::span<const std::uint64_t> ticks, std::int64_t* out) const;

  std::shared_ptr<const std::vector<Line>> lines_;  // by begin; the first begins at 0
  bool monotone_ = true;
};

}  // namespace steno::reader
