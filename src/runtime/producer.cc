#include "runtime/producer.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/fence.h"
#include "base/fork_gate.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "base/own_process.h"
#include "base/pause.h"
#include "base/signal_safe_lock.h"
#include "base/within.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "runtime/core.h"
#include "runtime/hooks.h"
#include "runtime/own_records.h"
#include "runtime/ring_room.h"
#include "runtime/thread_contexts.h"
#include "runtime/thread_hooks.h"
#include "runtime/thread_state.h"
#include "runtime/thread_writer.h"
#include "steno/detail/writer.h"
#include "wire/record.h"

namespace steno::runtime {
namespace {

using detail::Writer;

constexpr unsigned kMostRoundsAtTheEnd = 200;  // about a second: a process that takes longer to end waits for us

bool introduce_thread(Core& core, Ring& ring, const ThreadState& thread) {
  return write_thread_record(core, ring, thread.index, thread.tid, thread.name);
}

// Returns whether a record fits together with the records that must precede it (a report of drops, the context), pads
// included. If the report were written alone, each refused record would be reported by a record of its own.
bool has_room_for_all(const Ring& ring, std::size_t before, std::size_t bytes, Level level) {
  const std::uint64_t head = ring::load_head(ring.memory.header);
  const std::uint64_t position = position_of(ring);
  if (position == head) return true;
  const ring::Extent extent = ring.extent();
  const std::uint64_t to_wrap = extent.capacity - extent.address(position);
  const std::uint64_t all = before + bytes;
  return position + all + (all > to_wrap ? to_wrap : 0) <= free_end(extent.capacity, head, position, level);
}

bool make_room(Core& core, Ring& ring, std::size_t bytes, Level level) {
  const bool drops = ring.unaccounted() != 0;
  const bool context = lacks_context(core);
  if (drops || context) {
    const std::size_t before = (drops ? kDropRecord : 0) + (context ? context_record_size() : 0);
    const bool room = has_room_for_all(ring, before, bytes, level) ||
                      (grow(core, ring, before + bytes) && has_room_for_all(ring, before, bytes, level));
    if (!room) return false;
    if (drops && !report_drops(core, ring)) return false;
    if (context && !write_context(core, ring)) return false;
  }
  return refill(core, ring, bytes, level);
}

// In a session without a scribe thread, producers that need room retry the file.
void call_help(Core& core) {
  if (auto help = core.help.load(std::memory_order_acquire)) help(core);
}

// Waits a little for the consumer to advance head beyond `head`: spins, yields, then sleeps (ring.md §4.2). Nothing of
// the record is in the ring yet, so the ring is closed meanwhile: for a signal handler that logs, the state is that
// between two calls, and its record waits or is dropped according to its own level.
void let_consumer_work(Core& core, Ring& ring, std::uint64_t head, unsigned round) {
  leave(ring);
  STENO_DELAY_POINT();
  core.scribe_call().wake(true);
  call_help(core);
  const auto moved = [&] { return ring::load_head(ring.memory.header) != head; };
  if (moved()) {
    // At once, then.
  } else if (round < 64) {
    for (int i = 0; i < 32; ++i) cpu_pause();
  } else if (round < 96) {
    sched_yield();
  } else {
    ring::set_producer_waiting(ring.memory.header, true);
    // Pairs with the fence in ring::wake_producer().
    fence<__ATOMIC_SEQ_CST>();
    STENO_DELAY_POINT();
    if (!moved()) futex_wait(&ring.memory.header->producer_waiting, 1, 10'000'000);
  }
  __atomic_store_n(&ring.writer->limit, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Notes how long a call waited for room.
class Stall {
 public:
  explicit Stall(Core& core) : core_(core) {}
  Stall(const Stall&) = delete;
  Stall& operator=(const Stall&) = delete;
  ~Stall() { core_.stalls().add(monotonic_now() - begin_); }

 private:
  Core& core_;
  const std::int64_t begin_ = monotonic_now();
};

// Waits until there is room, or until the session ends, or the file cannot be written for too long.
bool wait_for_room(Core& core, Ring& ring, std::size_t bytes, Level level) {
  const NoCancellation guard;
  const Stall stall(core);
  std::uint64_t tried = 0;
  for (unsigned round = 0;; ++round) {
    const Core::State state = core.state();
    if (state == Core::State::kBuffering) return make_room(core, ring, bytes, level);
    if (state == Core::State::kEnding && round > kMostRoundsAtTheEnd) return make_room(core, ring, bytes, level);
    if (core.patience().is_over()) {
      core.patience().note_gave_up();
      call_help(core);
      if (core.patience().is_over()) return make_room(core, ring, bytes, level);
    }
    const std::uint64_t head = ring::load_head(ring.memory.header);
    // Only the consumer makes room.
    if ((round == 0 || head != tried) && make_room(core, ring, bytes, level)) return true;
    tried = head;
    let_consumer_work(core, ring, head, round);
  }
}

Ring* attach(std::uint32_t slot, bool may_wait) {
  const NoCancellation guard;
  Core* core = core_of_slot(slot);
  if (core == nullptr) return nullptr;
  if (core->take_first_call()) autostart(slot);
  ThreadState* state = own_thread_state();
  if (state == nullptr) return nullptr;
  Writer* writer = slot == 0 ? &detail::tls_writer : make_writer();
  if (writer == nullptr) return nullptr;
  *writer = kStandIn;
  Ring* ring = nullptr;
  {
    // A handler that forks finds the ring with the thread, or none: the child's thread must not log to its parent's.
    const BlockSignals no_fork;
    if (core != core_at(slot)) return nullptr;  // a signal handler has forked, and this is the child
    ring = core->rings().attach(writer, kThreadRecordRoom);
    state->rings[slot] = ring;
  }
  may_wait = may_wait && core->state() != Core::State::kBuffering && !tls_flags.scribe;
  // The last owner's drops are reported before its ring changes hands.
  const auto introduce = [&] {
    const bool reported = ring->unaccounted() == 0 || report_drops(*core, *ring);
    return reported && introduce_thread(*core, *ring, *state);
  };
  const auto wait = [&] { return may_wait && wait_for_room(*core, *ring, kThreadRecordRoom, Level::kCritical); };
  if (ring != nullptr && !introduce() && !(wait() && introduce())) {
    // A ring that is full of its last owner's records and that nobody drains.
    const BlockSignals no_fork;
    core->rings().detach(ring);
    state->rings[slot] = ring = nullptr;
  }
  if (ring == nullptr) {
    if (slot == 0) {
      *writer = kStandIn;
    } else {
      remove_writer(writer);
    }
    return nullptr;
  }
  if (core != core_at(slot)) return nullptr;  // a signal handler has forked, and this is the child
  state->writers[slot] = writer;
  state->attached |= std::uint64_t{1} << slot;
  renew_context(*state, slot);
  return ring;
}

// A fork in a signal handler must know of it: in the child this thread goes on (thread_hooks.cc).
class LongWay {
 public:
  LongWay() { ++tls_flags.long_ways; }
  ~LongWay() { --tls_flags.long_ways; }
  LongWay(const LongWay&) = delete;
  LongWay& operator=(const LongWay&) = delete;
};

// The ring of this thread, attached if need be, its record opened (limit 0). nullptr: there is none to be had, or the
// thread is at it already, and a signal handler came.
// `limit` is what the caller found before it stored 0; `may_wait`: a thread without a ring may wait for one.
// `*open`: a record of the thread is open in its ring, and a signal handler came.
Ring* enter(std::uint32_t slot, std::uint64_t limit, bool may_wait, bool* open) {
  if (tls_flags.attaching || tls_flags.ended) return nullptr;
  tls_flags.attaching = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  Ring* ring = tls_state != nullptr ? tls_state->rings[slot] : nullptr;
  const bool attached = ring == nullptr;
  if (attached) ring = attach(slot, may_wait);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  tls_flags.attaching = false;
  *open = !attached && limit == 0;
  if (*open) return nullptr;
  // Opened once more: a handler that came between the caller's store of 0 and here, and logged, has closed it.
  if (ring != nullptr) __atomic_store_n(&ring->writer->limit, 0, __ATOMIC_RELAXED);
  return ring;
}

// Opens the thread's ring for the protocol's own records.
Ring* enter_own(std::uint32_t slot) {
  Writer* writer = detail::tls_writers[slot];
  const std::uint64_t limit = __atomic_load_n(&writer->limit, __ATOMIC_RELAXED);  // the stand-in is shared
  __atomic_store_n(&writer->limit, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  bool open = false;
  return enter(slot, limit, false, &open);
}

}  // namespace

void mark_scribe_thread() {
  tls_flags.scribe = true;
}

ServesRings::ServesRings() : before_(std::exchange(tls_flags.scribe, true)) {}
ServesRings::~ServesRings() {
  tls_flags.scribe = before_;
}

void rename_thread(const std::string& name) {
  if (is_inside() || !enter_process()) return;
  const ForkPause no_fork;
  ThreadState* state = own_thread_state();
  if (state == nullptr) return;
  state->name = name.substr(0, kMaxThreadName);
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    if (state->rings[slot] == nullptr) continue;
    Ring* ring = enter_own(slot);
    if (ring == nullptr) continue;
    Core& core = *ring->core;
    // A ring that is full keeps the old name.
    if (introduce_thread(core, *ring, *state)) renew_context(*state, slot);
    leave(*ring);
  }
}

bool prepare_thread(std::uint32_t slot) {
  if (is_inside() || !enter_process()) return false;
  const ForkPause no_fork;
  const auto has_ring = [slot] { return tls_state != nullptr && tls_state->rings[slot] != nullptr; };
  if (has_ring()) return true;
  if (Ring* ring = enter_own(slot)) leave(*ring);
  return has_ring();  // or a signal handler came and got one
}

bool introduce_crashed_thread(Core& core, Ring& ring) {
  if (tls_state == nullptr) {
    char name[16] = {};
    prctl(PR_GET_NAME, name);
    return write_thread_record(core, ring, next_thread_index(), static_cast<std::uint64_t>(syscall(SYS_gettid)), name);
  }
  if (!introduce_thread(core, ring, *tls_state)) return false;
  if (tls_flags.attaching || tls_state->context.fields() == 0) return true;  // it is being changed, or there is none
  std::byte context[wire::kMostContext];
  return write_own(core, ring, wire::kSiteContext, context, tls_state->context.write(context));
}

void count_too_large(std::uint32_t slot) {
  if (Core* core = core_at(slot)) core->discards().add_too_large();
}

// In the parent's session file, which both have.
void count_in_child(std::uint32_t slot) {
  if (Core* core = core_at(slot)) core->discards().add_in_child();
}

void count_inner(std::uint32_t slot) {
  if (Core* core = core_at(slot)) {
    core->discards().add_inner();
  } else {
    refuse_inner_record();
  }
}

void count_lost(std::uint32_t slot) {
  if (!is_own_process()) return count_in_child(slot);
  if (is_inside()) return count_inner(slot);
  Core* const core = core_at(slot);
  if (core == nullptr) return;
  if (tls_flags.attaching) {
    core->discards().add_in_handler();
  } else {
    core->discards().add();
  }
}

std::uint64_t largest_record(std::uint32_t slot, std::uint64_t wanted) {
  Ring* ring = tls_state != nullptr ? tls_state->rings[slot] : nullptr;
  if (ring == nullptr) return 0;
  const std::uint64_t capacity = std::min(ring->memory.most, std::bit_ceil(2 * wanted));
  if (ring->memory.capacity < capacity) {
    const NoCancellation guard;
    (void)ring->core->rings().grow(*ring, capacity);
  }
  return std::min<std::uint64_t>(wire::kMaxRecordSize, ring->memory.capacity / 2);
}

}  // namespace steno::runtime

namespace steno::detail {

bool reserve(std::uint32_t slot, std::size_t bytes, Level level, std::uint64_t limit) noexcept {
  using namespace runtime;
  // In a child, and from within steno, nothing is open but by the caller.
  const auto close = [&] {
    if (limit != 0) __atomic_store_n(&tls_writers[slot]->limit, limit, __ATOMIC_RELAXED);
  };
  if (!is_own_process()) close();
  if (!enter_process() || is_inside()) {
    close();
    if (is_own_process()) {
      count_inner(slot);
    } else {
      count_in_child(slot);
    }
    return false;
  }
  const ForkPause no_fork;
  const LongWay long_way;
  Core* const known = core_at(slot);
  const bool blocks = known != nullptr && known->blocks(level);
  bool open = false;
  Ring* ring = enter(slot, limit, blocks, &open);
  if (ring == nullptr) {
    Core* const interrupted = open ? core_at(slot) : nullptr;
    if (interrupted != nullptr) {
      interrupted->discards().add_in_handler();
    } else {
      count_lost(slot);
    }
    return false;
  }
  Core& core = *ring->core;
  if (bytes <= ring->memory.capacity / 2) {
    if (make_room(core, *ring, bytes, level)) return true;
    ring->use.held_up = true;
    const bool may_wait = core.state() != Core::State::kBuffering && !tls_flags.scribe && core.blocks(level);
    if (may_wait && wait_for_room(core, *ring, bytes, level)) return true;
  }
  drop(core, *ring);
  // A scribe writes what waits once it is half of the ring, which a large record need not leave room for.
  const std::uint64_t waiting = ring::load_tail(ring->memory.header) - ring::load_head(ring->memory.header);
  const bool waits_for_more = waiting != 0 && waiting < ring::wake_mark_of(ring->extent().capacity);
  if (!core.patience().is_over()) core.scribe_call().wake(waits_for_more);  // else it tries the file again by itself
  leave(*ring);
  return false;
}

// In a child there may be no core, of which an interrupted call does not know.
std::uint64_t call_clock(std::uint32_t slot) noexcept {
  runtime::Core* const core = runtime::core_at(slot);
  return core != nullptr ? core->called_time() : static_cast<std::uint64_t>(wall_now());
}

void notify(std::uint32_t slot) noexcept {
  if (runtime::Core* const core = runtime::core_at(slot)) core->scribe_call().wake(true);
}

}  // namespace steno::detail
