// Publishing how far the consumer of a ring is (ring.md §4).
#pragma once

#include "ring/layout.h"
#include "wire/dictionary.h"

namespace steno::ring {

// Stores `release`, whose thread is `thread`: its name goes to the slot that is not in use, if it is not known yet. One
// consumer at a time.
void publish(RingHeader* header, Release release, const wire::ThreadInfo& thread);

}  // namespace steno::ring
