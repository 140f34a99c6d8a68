// Publishing how far the consumer of a ring is (ring.md §4).
#pragma once

#include "ring/layout.h"
#include "wire/dictionary.h"

namespace steno::ring {

// For a new session in a ring that exists (ring.md §4.2): where it is, numbers from 0. A record that was announced and
// never written is the new session's to write.
Release restarted(const Release& last);

// Stores `release`, whose thread is `thread`: its name goes to the slot that is not in use, if it is not known yet. One
// consumer at a time.
void publish(RingHeader* header, Release release, const wire::ThreadInfo& thread);

}  // namespace steno::ring
