#include "scribe/clock_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace steno::scribe {
namespace {

constexpr std::int64_t kShortestBaselineNs = 20'000'000;  // a rate from less is worse than the one we have
constexpr std::uint32_t kStepped = 1;                     // flags bit 0

}  // namespace

ClockModel::ClockModel(const ClockReading& reading, double ns_per_tick)
    : knot_(reading), last_(reading), origin_(reading), ns_per_tick_(ns_per_tick) {}

std::int64_t ClockModel::wall_of(std::uint64_t ticks) const {
  const auto elapsed = static_cast<std::int64_t>(ticks - knot_.ticks);
  return knot_.wall_ns + std::llround(static_cast<double>(elapsed) * ns_per_tick_);
}

void ClockModel::add_knot(const ClockReading& reading, std::uint32_t extra_uncertainty, std::uint32_t flags,
                          std::vector<format::ClockPoint>* points) {
  points->push_back({reading.ticks, reading.wall_ns, ns_per_tick_,
                     reading.uncertainty_ns + static_cast<std::uint32_t>(kToleranceNs) + extra_uncertainty, flags});
  knot_ = last_ = reading;
}

// The rate since origin_, unless that since the last knot differs by more than readings are uncertain: then it has
// changed.
void ClockModel::update_rate(const ClockReading& knot, const ClockReading& reading, std::int64_t tolerance) {
  const auto slope = [&reading](const ClockReading& from) {
    return static_cast<double>(reading.wall_ns - from.wall_ns) / static_cast<double>(reading.ticks - from.ticks);
  };
  const std::int64_t recent = reading.wall_ns - knot.wall_ns;
  if (recent >= kShortestBaselineNs) {
    const double doubt = 2.0 * static_cast<double>(tolerance) / static_cast<double>(recent);
    if (std::fabs(slope(knot) / slope(origin_) - 1) > doubt) origin_ = knot;
  }
  if (reading.wall_ns - origin_.wall_ns >= kShortestBaselineNs) ns_per_tick_ = slope(origin_);
}

void ClockModel::update(const ClockReading& reading, bool force, std::vector<format::ClockPoint>* points) {
  if (first_) {
    first_ = false;
    add_knot(knot_, 0, 0, points);
  }
  if (reading.ticks <= last_.ticks) return;  // a counter that stood still, or a caller's mistake: nothing to learn
  const std::int64_t stray = reading.wall_ns - wall_of(reading.ticks);
  const std::int64_t tolerance = kToleranceNs + reading.uncertainty_ns;
  if (std::llabs(stray) <= tolerance && !force) {
    last_ = reading;
    return;
  }
  // The line held until last_ and is bent between last_ and now: a knot at either end.
  const ClockReading before = knot_;
  if (last_.ticks > knot_.ticks) add_knot(last_, 0, 0, points);
  if (std::llabs(stray) > kStepNs) {
    add_knot(reading, static_cast<std::uint32_t>(std::min<std::int64_t>(std::llabs(stray), 4'000'000'000)), kStepped,
             points);
    origin_ = reading;
    return;
  }
  update_rate(before, reading, tolerance);
  // Where in between the rate changed is unknown: the line through both ends is off by a quarter of the stray at the
  // most.
  add_knot(reading, static_cast<std::uint32_t>(std::llabs(stray) / 4), 0, points);
}

}  // namespace steno::scribe
