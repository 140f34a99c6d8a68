// How fast the machine's counter runs, on the user's doorbell (ring.md §1.4): a process that lives for a moment need
// not measure it, which takes two milliseconds.
#pragma once

#include "base/clock.h"
#include "staging/doorbell.h"

namespace steno::staging {

// The measured rate of the counter, in ns per tick. 0: no process has measured it, or it does not hold any more,
// because with it the wall clock would differ from `now`. `now` must be a current reading.
double load_clock_rate(const Doorbell* bell, const ClockReading& now);
// Any process, at any time: the last one counts.
void store_clock_rate(Doorbell* bell, const ClockReading& now, double ns_per_tick);

}  // namespace steno::staging
