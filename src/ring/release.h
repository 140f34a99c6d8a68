// Publishing how far the consumer of a ring is (ring.md §4).
#pragma once

#include "ring/layout.h"
#include "wire/dictionary.h"

namespace steno::ring {

// For a new session in a ring that exists (ring.md §4.2): where it is, numbers from 0. A record that was announced and
// never written is the new session's to write.
Release restarted(const Release& last);

// Stores `release`, the position from which records belong to `owner`. If the name and context of the owner have
// changed, they are stored in the unused slots. One consumer at a time.
void publish(RingHeader* header, Release release, const wire::RingOwner& owner);
// Whose record lies at a release: the name if the slot is still about it.
wire::RingOwner owner_of(const Release& release, const OwnerSlots& slots);
// The owner as the ring's own consumer sees it.
wire::RingOwner owner_at(const RingHeader* header, const Release& release);
// After the store of a head: wakes the producer if it waits for room. Returns whether it did.
bool wake_producer(RingHeader* header);

// Clock points, which recovery needs to date records after a crash (ring.md §2). One is published before the first
// session begins; later sessions find those of earlier ones.
void publish_clock(SessionFile& session, const ClockSlot& point);

}  // namespace steno::ring
