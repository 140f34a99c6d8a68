// What a log call costs, and what reading the clock costs, in the same run on the same machine.
#pragma once

#include <cstddef>

namespace kv {

inline constexpr std::size_t kBurst = 2'000;

struct CallCost {
  double clock_ns = 0;       // one bare read of the clock that the log uses here
  double call_ns = 0;        // one log call with an integer, a string and a double, into a ring with room
  std::size_t messages = 0;  // that the measurement itself logged
};

// Medians over bursts, with a pause between them for the scribe. Takes a fraction of a second.
CallCost measure_call(std::size_t bursts);

// CPU time of the calling thread so far.
double thread_cpu_seconds();

}  // namespace kv
