// Points in time as people write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "steno/status.h"

namespace steno::query {

// What a time is relative to.
struct TimeContext {
  std::int64_t now = 0;    // ns since the epoch
  std::int64_t first = 0;  // of the log
  std::int64_t last = 0;   // of the log
  bool local = false;      // times without a zone are of the reader's
};

// A span of time, both ends in it; ns since the epoch. Empty if the first is after the last.
struct TimeSpan {
  std::int64_t first = INT64_MIN;
  std::int64_t last = INT64_MAX;

  bool empty() const { return first > last; }
  TimeSpan cut_to(const TimeSpan& other) const {
    return {first > other.first ? first : other.first, last < other.last ? last : other.last};
  }
};

// Nanoseconds since the epoch of
//   2026-11-20T14:03:22.5Z, 2026-11-20 14:03:22+01:00, 2026-11-20 14:03, 2026-11-20   a date, T or space, a time, a
//   zone 14:03:22.123, 14:03         on the day of the log's last record 10m ago, now                before now 30s
//   before end, last 30s before end, last 30s, end            before the last record 5s after start, first 5s, start
//   after the first record
// For durations see parse_duration. kInvalidArgument: not a valid time, or out of range.
Result<std::int64_t> parse_time(std::string_view text, const TimeContext& context);

// "250ms", "1.5h", "1h30m": ns us ms s m h d w, at least 1 ns.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace steno::query
