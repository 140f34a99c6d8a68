// Statistics of a session's rings, for any kind of scribe.
#pragma once

#include "runtime/core.h"
#include "steno/session.h"

namespace steno::scribe {

// Sets what is counted in the rings and by their producers. Thread-safe.
void set_ring_stats(runtime::Core& core, Stats* stats);

}  // namespace steno::scribe
