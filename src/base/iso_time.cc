#include "base/iso_time.h"

#include <chrono>
#include <cstdio>

#include "base/nanoseconds.h"

namespace steno {

std::string iso_time(std::int64_t wall_ns) {
  using std::chrono::days;
  using std::chrono::nanoseconds;
  const std::chrono::sys_time<nanoseconds> time{nanoseconds(wall_ns)};
  const auto midnight = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(midnight);
  // Not `time - midnight`: near the ends of int64 midnight itself is out of its range in nanoseconds.
  const std::int64_t ns = (wall_ns % kNsPerDay + kNsPerDay) % kNsPerDay;
  const auto seconds = static_cast<unsigned>(ns / 1'000'000'000);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02u:%02u:%02u.%09uZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), seconds / 3600,
                seconds / 60 % 60, seconds % 60, static_cast<unsigned>(ns % 1'000'000'000));
  return text;
}

}  // namespace steno
