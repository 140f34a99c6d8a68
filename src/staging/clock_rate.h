// How fast the machine's counter runs, on the user's doorbell (ring.md §1.4): a process that lives for a moment need
// not measure it, which takes two milliseconds.
#pragma once

#include "base/clock.h"
#include "staging/doorbell.h"

namespace steno::staging {

// ns per tick of the counter, as somebody measured it. 0: nobody has, or it has changed: by that rate the wall clock
// should not be where `now` says. `now` is a reading of this moment.
double load_clock_rate(const Doorbell* bell, const ClockReading& now);
// Any process, at any time: the last one counts.
void store_clock_rate(Doorbell* bell, const ClockReading& now, double ns_per_tick);

}  // namespace steno::staging
