#include "drain/clock_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace steno::drain {
namespace {

constexpr std::int64_t kShortestBaselineNs = 20'000'000;  // a rate from less is worse than the one we have
constexpr double kFastestSlew = 2e-3;  // kernels slew by 5e-4; a step may look like a slew for a moment
constexpr std::uint32_t kStepped = 1;  // flags bit 0

// The distance of two wall clocks. Those that recovery takes from a stranger's staging may be anything: farther apart
// than this is as good as this, and leaves room to add up a few.
std::int64_t distance(std::int64_t from, std::int64_t to) {
  constexpr __int128 kFarthest = std::int64_t{1} << 60;
  return static_cast<std::int64_t>(std::clamp(static_cast<__int128>(to) - from, -kFarthest, kFarthest));
}

double slope(const ClockReading& from, const ClockReading& to) {
  return static_cast<double>(distance(from.wall_ns, to.wall_ns)) / static_cast<double>(to.ticks - from.ticks);
}

}  // namespace

ClockModel::ClockModel(const ClockReading& reading, double ns_per_tick)
    : knot_(reading), last_(reading), origin_(reading), ns_per_tick_(ns_per_tick) {}

std::int64_t ClockModel::wall_of(std::uint64_t ticks) const {
  const auto elapsed = static_cast<std::int64_t>(ticks - knot_.ticks);
  const double ns = static_cast<double>(elapsed) * ns_per_tick_;
  if (std::fabs(ns) < 0x1p62) {
    std::int64_t wall;
    if (!__builtin_add_overflow(knot_.wall_ns, std::llround(ns), &wall)) return wall;
  }
  return ns < 0 ? INT64_MIN : INT64_MAX;
}

void ClockModel::add_knot(const ClockReading& reading, std::int64_t doubt, std::uint32_t flags,
                          std::vector<format::ClockPoint>* points) {
  // A record has the tick that it was logged in, which began up to a tick before.
  const auto tick = static_cast<std::int64_t>(std::ceil(std::clamp(ns_per_tick_, 0.0, 1e9)));
  const std::int64_t uncertainty = std::min<std::int64_t>(reading.uncertainty_ns + doubt + tick, UINT32_MAX);
  points->push_back({reading.ticks, reading.wall_ns, ns_per_tick_, static_cast<std::uint32_t>(uncertainty), flags});
  std::rotate(written_.begin(), written_.begin() + 1, written_.end());
  written_.back() = points->back();
  written_count_ = std::min(written_count_ + 1, written_.size());
  knot_ = last_ = reading;
  strayed_ = last_stray_ = 0;
}

// Appends the points that a session begins with.
void ClockModel::begin_line(std::vector<format::ClockPoint>* points) {
  if (written_count_ == 0) return add_knot(knot_, kToleranceNs, 0, points);
  std::size_t count = std::min<std::size_t>(written_count_, 2);
  const auto age = [this](std::size_t n) { return distance((written_.end() - n)->wall_ns, written_.back().wall_ns); };
  while (count < written_count_ && std::llabs(age(count + 1)) <= kPointsKeptNs) ++count;
  points->insert(points->end(), written_.end() - static_cast<std::ptrdiff_t>(count), written_.end());
}

// The rate since origin_, unless that since the last knot differs by more than readings are uncertain: then it has
// changed.
void ClockModel::update_rate(const ClockReading& knot, const ClockReading& reading, std::int64_t tolerance) {
  const std::int64_t recent = distance(knot.wall_ns, reading.wall_ns);
  if (recent >= kShortestBaselineNs) {
    const double doubt = 2.0 * static_cast<double>(tolerance) / static_cast<double>(recent);
    if (std::fabs(slope(knot, reading) / slope(origin_, reading) - 1) > doubt) origin_ = knot;
  }
  if (distance(origin_.wall_ns, reading.wall_ns) >= kShortestBaselineNs) ns_per_tick_ = slope(origin_, reading);
}

void ClockModel::update(const ClockReading& reading, bool force, std::vector<format::ClockPoint>* points,
                        std::uint64_t quiet_since) {
  if (first_) {
    first_ = false;
    begin_line(points);
  }
  if (reading.ticks <= last_.ticks) return;  // a counter that stood still, or a caller's mistake: nothing to learn
  const std::int64_t stray = std::llabs(distance(wall_of(reading.ticks), reading.wall_ns));
  const std::int64_t tolerance = kToleranceNs + reading.uncertainty_ns;
  if (stray <= tolerance && !force) {
    last_ = reading;
    last_stray_ = stray;
    strayed_ = std::max(strayed_, stray - reading.uncertainty_ns);
    return;
  }
  // The line held until last_ and is bent between last_ and now: a knot at either end. The first moves the line that
  // was looked along by as much as last_ strayed from it; where after it the bend is, is unknown, so that until now it
  // may be off by all that has come together.
  const ClockReading before = knot_;
  const bool looked_between = last_.ticks > knot_.ticks;
  if (looked_between) add_knot(last_, std::max(kToleranceNs, strayed_ + last_stray_), 0, points);
  const double elapsed = static_cast<double>(reading.ticks - last_.ticks) * ns_per_tick_;
  if (stray > kStepNs || static_cast<double>(stray - tolerance) > elapsed * kFastestSlew) {
    // Twice in a row, and nothing on the line in between: it is the rate that is wrong, not the clock that was set.
    const bool long_enough = distance(before.wall_ns, reading.wall_ns) >= kShortestBaselineNs;
    if (stepped_ && !looked_between && long_enough) ns_per_tick_ = slope(before, reading);
    stepped_ = true;
    if (quiet_since > last_.ticks && quiet_since < reading.ticks) {
      ClockReading set = reading;
      set.ticks = quiet_since;
      set.wall_ns -= std::llround(static_cast<double>(reading.ticks - quiet_since) * ns_per_tick_);
      add_knot(set, kToleranceNs, kStepped, points);
      origin_ = set;
      return;
    }
    add_knot(reading, kToleranceNs + stray, kStepped, points);
    origin_ = reading;
    return;
  }
  stepped_ = false;
  update_rate(before, reading, tolerance);
  add_knot(reading, kToleranceNs + stray, 0, points);
}

}  // namespace steno::drain
