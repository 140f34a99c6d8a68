// Points in time as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "steno/status.h"

namespace steno::query {

// The times that a time is relative to.
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
//   2026-11-20T14:03:22.5Z, 2026-11-20 14:03 +01:00, 2026-11-20   a date, T or space, a time, a zone
//   Nov 20 14:03, 20 Nov 2026, Fri Nov 20 14:03:22 2026           the last such date before the log's end
//   14:03:22.123, 2:03, 14:03 UTC                                 the last such time in the log, else of its last day
//   today, yesterday 14:03                                        by the clock of the reader
//   @1764000000, 1764000000123                                    seconds, ms, us or ns since the epoch (epoch_ns())
//   10m ago, 10m, -10m, 1 hour ago, now                           before now
//   30s before end, last 30s, end                                 before the last record
//   5s after start, first 5s, start                               after the first record
// For durations see parse_duration. kInvalidArgument: not a valid time, or out of range.
Result<std::int64_t> parse_time(std::string_view text, const TimeContext& context);

// A number of seconds (below 10^11), ms (below 10^14), us (below 10^17) or ns since the epoch; ns. nullopt: negative,
// or a time after 2262, which nanoseconds do not reach.
std::optional<std::int64_t> epoch_ns(std::int64_t number);

// From a time on until before another; either may be empty. If the end is a time of day, it is the first one after the
// begin where that one is later than the last such time in the log; kInvalidArgument: the log ends before that day, and
// the span would be longer than half a day. The span may be empty. Other errors as parse_time().
Result<TimeSpan> parse_span(std::string_view since, std::string_view until, const TimeContext& context);

// "02:41..02:50", "02:41-02:50", "02:41..", "..02:50" as parse_span(); "02:41..15m", "02:41+15m": for so long, unless
// the begin is before now, as "30m" is, since then the end is too.
Result<TimeSpan> parse_range(std::string_view text, const TimeContext& context);
// Returns whether a text that may also be a single time has two ends, or a length, as parse_range() takes them.
bool is_range(std::string_view text);

// "250ms", "1.5h", "1h30m", "2 hours 5 min": ns us ms s m h d w or their words, at least 1 ns.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace steno::query
