// The model of the process's clock, from one session to the next: the longer it has been looked at, the truer it is.
#pragma once

#include "drain/clock_model.h"

namespace steno::drain {

// Goes on with the model of the process's last session, if there was one, else begins one, which costs 2 ms.
// Thread-safe, and in a forked child too.
ClockModel process_clock();
void keep_process_clock(const ClockModel& model);

}  // namespace steno::drain
