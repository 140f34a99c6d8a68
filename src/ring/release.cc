#include "ring/release.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/fence.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "ring/ring_access.h"
#include "wire/context.h"

namespace steno::ring {

Release restarted(const Release& last) {
  return {.position = last.position, .drops = last.drops, .announced = last.announced, .discards = last.discards};
}

void publish(RingHeader* header, Release release, const wire::RingOwner& owner) {
  release.thread = owner.index;
  release.slots = last_release(header).slots & (kThreadSlot | kContextSlot);
  const ThreadSlot& known = header->threads[release.slots & kThreadSlot];
  const std::string_view name(owner.name.data(), std::min(owner.name.size(), kThreadName));
  if (known.index != owner.index || known.tid != owner.tid || known.name_size != name.size() ||
      std::memcmp(known.name, name.data(), name.size()) != 0) {
    release.slots ^= kThreadSlot;
    ThreadSlot& slot = header->threads[release.slots & kThreadSlot];
    fence<__ATOMIC_RELEASE>();  // as in store_release
    slot.tid = owner.tid;
    slot.index = owner.index;
    slot.name_size = static_cast<std::uint32_t>(name.size());
    std::memcpy(slot.name, name.data(), name.size());
  }
  const std::string_view context = owner.context;
  if (!context.empty() && context.size() <= sizeof(ContextSlot::bytes)) {
    const auto slot_of = [&] { return &header->contexts[(release.slots & kContextSlot) / kContextSlot]; };
    if (slot_of()->size != context.size() || std::memcmp(slot_of()->bytes, context.data(), context.size()) != 0) {
      release.slots ^= kContextSlot;
      fence<__ATOMIC_RELEASE>();  // as in store_release
      slot_of()->size = static_cast<std::uint32_t>(context.size());
      std::memcpy(slot_of()->bytes, context.data(), context.size());
    }
    release.slots |= kHasContext;
  }
  store_release(header, release);
}

wire::RingOwner owner_of(const Release& release, const OwnerSlots& slots) {
  wire::RingOwner owner;
  owner.index = release.thread;
  if (slots.thread.index == release.thread) {
    owner.tid = slots.thread.tid;
    owner.name.assign(slots.thread.name, std::min<std::size_t>(slots.thread.name_size, kThreadName));
  }
  wire::Context context;  // the bytes of somebody else's header may be anything
  const std::string_view bytes(slots.context.bytes,
                               std::min<std::size_t>(slots.context.size, sizeof slots.context.bytes));
  if (wire::Context::parse(bytes, &context)) owner.context = bytes;
  return owner;
}

wire::RingOwner owner_at(const RingHeader* header, const Release& release) {
  OwnerSlots slots{};
  copy_slots(*header, release, &slots);
  return owner_of(release, slots);
}

bool wake_producer(RingHeader* header) {
  // Pairs with the producer's fence between setting the word and its last look at head.
  fence<__ATOMIC_SEQ_CST>();
  STENO_DELAY_POINT();
  if (!is_producer_waiting(header)) return false;
  set_producer_waiting(header, false);
  futex_wake(&header->producer_waiting);
  return true;
}

void publish_clock(SessionFile& session, const ClockSlot& point) {
  // A session goes on with points of the one before, which are there.
  const std::uint64_t there = std::min(session.clock_points, kClockSlots);
  for (std::uint64_t n = session.clock_points - there; n < session.clock_points; ++n) {
    if (session.clock_slots[n % kClockSlots] == point) return;
  }
  // The last store of `clock_points` is visible before this slot changes, so a concurrent reader reads again.
  fence<__ATOMIC_RELEASE>();
  session.clock_slots[session.clock_points % kClockSlots] = point;
  // Pairs with the acquire loads in ForeignStaging::copy_session.
  __atomic_store_n(&session.clock_points, session.clock_points + 1, __ATOMIC_RELEASE);
}

}  // namespace steno::ring
