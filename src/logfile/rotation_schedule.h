// The moments at which files are rotated: Rotation::when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "steno/status.h"

namespace steno::logfile {

// Immutable. Local time is that of the C library's zone.
class RotationSchedule {
 public:
  // Parses "hourly", "daily 03:30" and so on (steno/rotation.h). Empty: never.
  static Result<RotationSchedule> parse(std::string_view when, bool local_time);

  RotationSchedule() = default;

  bool never() const { return seconds_ == 0 && minutes_ == 0; }
  // The first moment after `wall_ns`; INT64_MAX: never.
  std::int64_t next(std::int64_t wall_ns) const;

 private:
  std::int64_t next_in_hour(std::int64_t now) const;
  std::int64_t next_in_day(std::int64_t now) const;

  bool local_ = false;
  std::int64_t seconds_ = 0;  // a divisor of an hour: at its multiples; 0: by the next three
  std::int64_t minutes_ = 0;  // between two moments of a day; of a day or less
  std::int64_t at_ = 0;       // the first of them, in minutes
  int weekday_ = -1;          // on that day only, 0 is Sunday; -1: each
};

// A moment as names of files have it: "2026-11-22T20-15-00".
std::string file_time(std::int64_t wall_ns, bool local);

}  // namespace steno::logfile
