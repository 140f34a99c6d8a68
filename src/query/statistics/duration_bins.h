// How many durations are how long, on a logarithmic scale: the edges of bars are round numbers of ns, us, ms or s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steno::query {

struct DurationBar {
  std::int64_t low = 0;   // ns
  std::int64_t high = 0;  // not in it
  std::uint64_t count = 0;
};

class DurationBins {
 public:
  static constexpr std::size_t kMostBars = 60;

  DurationBins();
  // Negative ones count as 0.
  void add(std::int64_t duration);
  // From the shortest to the longest, those between them that are empty too: as few bars a power of ten (3, 10, 24 or
  // 90) as make ten of them, at most kMostBars. None of nothing.
  std::vector<DurationBar> bars() const;

 private:
  std::vector<std::uint64_t> counts_;  // of 0, then of two digits each: 1.0, 1.1, ... 9.9 of a power of ten
};

}  // namespace steno::query
