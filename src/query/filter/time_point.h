// What ranges (time_range.cc) and single times (time_spec.cc) share.
#pragma once

#include <cstdint>
#include <string_view>

#include "query/filter/time_spec.h"
#include "steno/status.h"

namespace steno::query {

inline constexpr std::int64_t kNsPerDay = 86'400'000'000'000;

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

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
