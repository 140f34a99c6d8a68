#include "ring/release.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/fence.h"
#include "base/futex.h"

namespace steno::ring {

Release restarted(const Release& last) {
  return {.position = last.position, .drops = last.drops, .announced = last.announced, .discards = last.discards};
}

void publish(RingHeader* header, Release release, const wire::ThreadInfo& thread) {
  release.thread = thread.index;
  release.thread_slot = last_release(header).thread_slot % 2;
  const ThreadSlot& known = header->threads[release.thread_slot];
  const std::string_view name(thread.name.data(), std::min(thread.name.size(), kThreadName));
  if (known.index != thread.index || known.tid != thread.tid || known.name_size != name.size() ||
      std::memcmp(known.name, name.data(), name.size()) != 0) {
    release.thread_slot ^= 1;
    ThreadSlot& slot = header->threads[release.thread_slot];
    fence<__ATOMIC_RELEASE>();  // as in store_release
    slot.tid = thread.tid;
    slot.index = thread.index;
    slot.name_size = static_cast<std::uint32_t>(name.size());
    std::memcpy(slot.name, name.data(), name.size());
  }
  store_release(header, release);
}

void wake_producer(RingHeader* header) {
  // Pairs with the producer's fence between setting the word and its last look at head.
  fence<__ATOMIC_SEQ_CST>();
  if (__atomic_load_n(&header->producer_waiting, __ATOMIC_RELAXED) == 0) return;
  __atomic_store_n(&header->producer_waiting, 0, __ATOMIC_RELAXED);
  futex_wake(&header->producer_waiting);
}

void publish_clock(SessionFile& session, const ClockSlot& point) {
  session.clock_slots[session.clock_points % kClockSlots] = point;
  // Pairs with the acquire loads in StagingView::copy_session.
  __atomic_store_n(&session.clock_points, session.clock_points + 1, __ATOMIC_RELEASE);
}

}  // namespace steno::ring
