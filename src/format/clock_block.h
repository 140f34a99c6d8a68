// Clock blocks (file.md §4): points that tie ticks to wall-clock time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/block.h"
#include "steno/status.h"

namespace steno::format {

struct ClockPoint {
  static constexpr std::uint32_t kStepped = 1;  // in `flags`: the wall clock was stepped here

  std::uint64_t ticks = 0;
  std::int64_t wall_ns = 0;
  double ns_per_tick = 1.0;
  std::uint32_t uncertainty_ns = 0;
  std::uint32_t flags = 0;

  bool operator==(const ClockPoint&) const = default;
};

// Finite, and between a tick a nanosecond's billionth and one in ten seconds: what no real clock leaves.
constexpr bool plausible_rate(double ns_per_tick) {
  return ns_per_tick >= 1e-9 && ns_per_tick <= 1e10;
}

void append_clock_block(ByteBuffer& out, std::span<const ClockPoint> points, SessionTag tag, std::uint8_t flags = 0);

// Appends the points of an untrusted payload to `points`; kCorrupt, and nothing appended, if its size is no multiple of
// a point's, if a rate is not plausible, or if the ticks go back.
Status parse_clock_block(std::span<const std::uint8_t> payload, std::vector<ClockPoint>* points);

}  // namespace steno::format
