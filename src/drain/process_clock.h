// The model of the process's clock, from one session to the next: the longer it has been looked at, the truer it is.
#pragma once

#include "drain/clock_model.h"
#include "staging/doorbell.h"

namespace steno::drain {

// Goes on with the model of the process's last session, if there was one, else begins one. That costs the rest of
// the 2 ms from when the program was loaded, unless the rate of the counter is on the doorbell; it is afterwards.
// nullptr: no doorbell. Thread-safe, and in a forked child too.
ClockModel process_clock(staging::Doorbell* bell = nullptr);
void keep_process_clock(const ClockModel& model);

}  // namespace steno::drain
