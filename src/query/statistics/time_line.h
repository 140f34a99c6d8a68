// How many records of each level came in each step of time: exact, and where a block lies within one step without a
// look at it, if the file knows its statements. Damage of such blocks that nobody has met yet is no failure here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "query/statistics/parts.h"

namespace steno::query {

// One place a level, and the last one for statements whose level is not known.
inline constexpr std::size_t kLevelPlaces = 8;

struct TimeLine {
  std::int64_t from = 0;  // where the first step begins
  std::int64_t step = 1;  // ns
  std::vector<std::array<std::uint64_t, kLevelPlaces>> steps;
  std::vector<reader::DecodeFailure> failures;
};

// `span`: which times it covers, not empty. A step has a round length in units of time, and begins at a multiple of it
// since 1970; there are at most `most_steps`, at least 1, and one more.
TimeLine make_time_line(const TimeSpan& span, std::size_t most_steps);
// Adds the records of a subject; others than those of its steps are left out.
void count_on(const Subject& subject, TimeLine* line);

}  // namespace steno::query
