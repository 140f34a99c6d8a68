// Single times as ranges (time_range.cc) need them; time_spec.cc reads them.
#pragma once

#include <cstdint>
#include <string_view>

#include "query/filter/time_spec.h"
#include "steno/status.h"

namespace steno::query {

// A point in time, and whether its day was not written but taken from the log.
struct Point {
  std::int64_t ns = 0;
  bool of_the_log = false;
};

// Reads what parse_time() reads, with the same errors.
Result<Point> parse_point(std::string_view text, const TimeContext& context);

// Returns whether a text begins as a time of day: "2:03", "14:03:22".
bool begins_with_clock(std::string_view text);

}  // namespace steno::query
