// Accesses of producer, consumer and onlookers to a ring's header (ring.md §4): every such access has a name here, and
// each acquire and release its partner.
#pragma once

#include <cstdint>

#include "base/fence.h"
#include "base/thread_sanitizer.h"
#include "ring/layout.h"

namespace steno::ring {

// Consumer: everything below the result is written. Pairs with the producer's release store of tail (writer.h).
inline std::uint64_t load_tail(const RingHeader* h) {
  const std::uint64_t tail = __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE);
  acquired(&h->tail);
  return tail;
}
// Producer: everything below the result may be overwritten. Pairs with store_release.
inline std::uint64_t load_head(const RingHeader* h) {
  const std::uint64_t head = __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
  acquired(&h->head);
  return head;
}
// Producer: where it writes from the next tail on. A thread that loads that tail sees it. Pairs with load_extent.
inline void store_extent(std::uint64_t* base, std::uint64_t* capacity, const Extent& extent) {
  __atomic_store_n(base, extent.base, __ATOMIC_RELAXED);
  __atomic_store_n(capacity, extent.capacity, __ATOMIC_RELEASE);
}
// Anyone else, after load_tail: a base that is newer than the capacity is as good for what lies below that tail.
inline Extent load_extent(const std::uint64_t* base, const std::uint64_t* capacity) {
  Extent extent;
  extent.capacity = __atomic_load_n(capacity, __ATOMIC_ACQUIRE);
  extent.base = __atomic_load_n(base, __ATOMIC_RELAXED);
  return extent;
}
inline Extent load_extent(const RingHeader* h) {
  return load_extent(&h->base, &h->capacity);
}
// Consumer: done with everything below `release`. Its facts are published as one, by the store of `releases`, so
// that recovery after a crash finds them consistent; only then may producers overwrite (pairs with load_head).
inline void store_release(RingHeader* h, const Release& release) {
  const std::uint64_t n = h->releases + 1;
  // The last store of `releases` is visible before this slot changes, so a concurrent reader reads again.
  fence<__ATOMIC_RELEASE>();
  h->released[n % 2] = release;
  __atomic_store_n(&h->releases, n, __ATOMIC_RELEASE);
  releasing(&h->head);
  __atomic_store_n(&h->head, release.position, __ATOMIC_RELEASE);
}
// The consumer itself: what it stored last.
inline const Release& last_release(const RingHeader* h) {
  return h->released[h->releases % 2];
}
// Copies the slots that a release refers to in a header that nobody changes.
inline void copy_slots(const RingHeader& h, const Release& release, OwnerSlots* owner) {
  owner->thread = h.threads[release.slots & kThreadSlot];
  owner->context.size = 0;
  if ((release.slots & kHasContext) != 0) owner->context = h.contexts[(release.slots & kContextSlot) / kContextSlot];
}
// Anyone else: what store_release published last, with what it refers to; again if the consumer came in between. False:
// it came every time, as only a hostile one does.
[[nodiscard]] inline bool load_release(const RingHeader* h, Release* release, OwnerSlots* owner) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t n = __atomic_load_n(&h->releases, __ATOMIC_ACQUIRE);
    *release = h->released[n % 2];
    copy_slots(*h, *release, owner);
    fence<__ATOMIC_ACQUIRE>();
    if (__atomic_load_n(&h->releases, __ATOMIC_RELAXED) == n) return true;
  }
  return false;
}

// Owner, last of all when a ring is made: pairs with the release store of the count of rings.
inline void publish_ring_version(RingHeader* h) {
  __atomic_store_n(&h->version, kVersion, __ATOMIC_RELEASE);
}

// The session to which the numbers of the release belong. Stored after the release that begins a session in a ring.
// Readers load it before and after load_release(), and use the result only if both are the same session.
inline void publish_ring_session(RingHeader* h, std::uint64_t id) {
  __atomic_store_n(&h->session_id, id, __ATOMIC_RELEASE);
}
inline std::uint64_t load_ring_session(const RingHeader* h) {
  return __atomic_load_n(&h->session_id, __ATOMIC_ACQUIRE);
}

// Producer: its own position, which only it stores.
inline std::uint64_t own_tail(const RingHeader* h) {
  return __atomic_load_n(&h->tail, __ATOMIC_RELAXED);
}
// Producer, outside of statements: pairs with load_tail.
inline void publish_tail(RingHeader* h, std::uint64_t tail) {
  releasing(&h->tail);
  __atomic_store_n(&h->tail, tail, __ATOMIC_RELEASE);
}

// Producer, or a signal handler of its thread: one more record is dropped. Whoever loads the new number finds the tail
// of what was logged before, and since when records are dropped.
inline void count_dropped(RingHeader* h) {
  __atomic_fetch_add(&h->dropped, std::uint64_t{1}, __ATOMIC_RELEASE);
}
inline std::uint64_t load_dropped(const RingHeader* h) {
  return __atomic_load_n(&h->dropped, __ATOMIC_ACQUIRE);
}
// Since when, by the clock of records. Before count_dropped().
inline void set_dropping_since(RingHeader* h, std::uint64_t ticks) {
  __atomic_store_n(&h->dropping_since, ticks, __ATOMIC_RELAXED);
}
inline std::uint64_t dropping_since(const RingHeader* h) {
  return __atomic_load_n(&h->dropping_since, __ATOMIC_RELAXED);
}
// Owner, at the end of a session that another process drains: so many drops are that one's to report.
inline void publish_left(RingHeader* h, std::uint64_t drops) {
  __atomic_store_n(&h->left, drops, __ATOMIC_RELEASE);
}
inline std::uint64_t load_left(const RingHeader* h) {
  return __atomic_load_n(&h->left, __ATOMIC_ACQUIRE);
}

// Consumer: the records below this position that were set aside are in the flight recorder (ring.md §4.6). Stored after
// the recorder's tail, so a thread that loads it finds those records there.
inline void publish_taken(RingHeader* h, std::uint64_t position) {
  __atomic_store_n(&h->taken, position, __ATOMIC_RELEASE);
}
inline std::uint64_t load_taken(const RingHeader* h) {
  return __atomic_load_n(&h->taken, __ATOMIC_ACQUIRE);
}

// The flag says whether the producer sleeps until the head moves. A fence of each side orders it with the head: the
// producer's, between storing 1 and its last look (producer.cc), and the consumer's in wake_producer().
inline void set_producer_waiting(RingHeader* h, bool waiting) {
  __atomic_store_n(&h->producer_waiting, waiting ? 1u : 0u, __ATOMIC_RELAXED);
}
inline bool is_producer_waiting(const RingHeader* h) {
  return __atomic_load_n(&h->producer_waiting, __ATOMIC_RELAXED) != 0;
}

}  // namespace steno::ring
