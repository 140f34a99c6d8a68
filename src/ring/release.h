// Publishing how far the consumer of a ring is (ring.md §4).
#pragma once

#include "ring/layout.h"
#include "wire/dictionary.h"

namespace steno::ring {

// For a new session in a ring that exists (ring.md §4.2): where it is, numbers from 0. A record that was announced and
// never written is the new session's to write.
Release restarted(const Release& last);

// Stores `release`, where the records of `owner` go on: name and context go to the slots that are not in use, if they
// are others than before. One consumer at a time.
void publish(RingHeader* header, Release release, const wire::RingOwner& owner);
// Whose record lies at a release: the name if the slot is still about it.
wire::RingOwner owner_of(const Release& release, const OwnerSlots& slots);
// The same of the ring's own consumer.
wire::RingOwner owner_at(const RingHeader* header, const Release& release);
// After the store of a head: wakes the producer if it waits for room. Returns whether it did.
bool wake_producer(RingHeader* header);

// What a session that goes on after a crash needs to date its records (ring.md §2). One is published before the first
// session begins; later ones find those of the sessions before.
void publish_clock(SessionFile& session, const ClockSlot& point);

}  // namespace steno::ring
