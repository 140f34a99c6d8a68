// Measures how fast the records of a log go into a file, with nothing else to do: lines are drawn before.
#pragma once

#include <cstddef>
#include <string>

#include "real/stream.h"

namespace steno::bench {

// Million messages a second by one producer; medians.
struct Rates {
  double alone = 0;      // nobody writes
  double raw_copy = 0;   // the rings' bytes go into a file as they are
  double steno = 0;      // until all are on file
  double scribe_ns = 0;  // CPU time of steno's scribe for each message
  double bytes = 0;      // of steno's file, each message
  // The rates with full effort, whoever waits (Options::keep_up).
  double steno_full = 0;
  double scribe_full_ns = 0;
  double raw_bytes = 0;  // of the raw copy, each message
};

// Logs `lines` lines twice in each of `repeats` rounds. Run it in a process of its own; `path` is left empty.
Rates measure_rates(const LogKind& kind, const std::string& path, std::size_t lines, int repeats);

}  // namespace steno::bench
