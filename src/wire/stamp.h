// The clock value of a record, in a ring whose session counts nanoseconds since the epoch (ring.md §4.1, kinds 3 and
// 5).
//
// Records that were logged before the session began, or after it ended, have the machine's counter in its place. A
// value below kLeastWall is the counter's; a time that is as small (a simulation's, or that of a board without a
// battery) is marked.
#pragma once

#include <cstdint>

namespace steno::wire {

inline constexpr std::uint64_t kLeastWall = 1'000'000'000'000'000'000;  // in 2001; a counter gets there in ten years up
inline constexpr std::uint64_t kEarlyTime = std::uint64_t{1} << 63;     // the mark

// The time that a stamp can have: times before 1970 count as its beginning. `ns`: since the epoch, negative before it.
constexpr std::uint64_t representable_time(std::int64_t ns) {
  return ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
}

constexpr std::uint64_t stamp_of(std::uint64_t time) {
  return time < kLeastWall ? time | kEarlyTime : time;
}

constexpr bool is_counter(std::uint64_t stamp) {
  return stamp < kLeastWall;
}

// The time of a stamp that is no counter's.
constexpr std::uint64_t time_of(std::uint64_t stamp) {
  return stamp & ~kEarlyTime;
}

}  // namespace steno::wire
