// The long way of a log call (writer.h): attach, wrap, wake, wait, drop.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/early.h"
#include "base/fence.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "base/pause.h"
#include "base/signal_safe_lock.h"
#include "registry/registry.h"
#include "ring/layout.h"
#include "runtime/core.h"
#include "runtime/crash_handler.h"
#include "runtime/format_sites.h"
#include "runtime/hooks.h"
#include "runtime/levels.h"
#include "runtime/own_records.h"
#include "runtime/ring_room.h"
#include "runtime/span.h"
#include "runtime/thread_context.h"
#include "runtime/thread_state.h"
#include "runtime/thread_writer.h"
#include "steno/detail/writer.h"
#include "wire/record.h"

namespace steno::runtime {
namespace {

using detail::Writer;

constexpr unsigned kMostRoundsAtTheEnd = 200;  // about a second: a process that takes longer to end waits for us

__thread ThreadState* tls_state __attribute__((tls_model("initial-exec")));
__thread bool tls_attaching __attribute__((tls_model("initial-exec")));
__thread bool tls_scribe __attribute__((tls_model("initial-exec")));

ThreadState* volatile parents_state = nullptr;  // of the thread that forked; in the child. Kept for leak checkers
__thread bool tls_inherits __attribute__((tls_model("initial-exec")));  // that thread's context, in the child

void leave_thread(void* state);
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

pthread_key_t exit_key() {
  static const pthread_key_t key = [] {
    pthread_key_t k{};
    // Runs after the destructors of thread_local objects, which may log.
    pthread_key_create(&k, leave_thread);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return k;
  }();
  return key;
}

// What the child goes on with, levels, statements and formats, must not be half changed by a thread that it does not
// have. The locks in the order in which those take them.
sigset_t signals_before_fork;  // guarded by those locks

void before_fork() {
  const sigset_t others = signals_of_others();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &others, &before);
  Levels::instance().before_fork();
  hold_format_sites();
  registry::Registry::instance().before_fork();
  signals_before_fork = before;
}

void after_fork_in_parent() {
  const sigset_t before = signals_before_fork;
  registry::Registry::instance().after_fork(false);
  release_format_sites();
  Levels::instance().after_fork();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The child of a fork has one thread, and must not write into the rings that it shares with its parent.
void after_fork_in_child() {
  registry::Registry::instance().after_fork(true);
  release_format_sites();
  Levels::instance().after_fork();
  detail::tls_writer = kStandIn;
  detail::tls_writers = stand_ins.of_slot;
  parents_state = tls_state;
  tls_state = nullptr;  // and stays as it is: its context is needed
  forget_thread_states();
  tls_inherits = parents_state != nullptr && !tls_attaching;
  tls_attaching = tls_scribe = false;
  renumber_spans();
  if (pthread_setspecific(exit_key(), nullptr) == 0) {
    forget_cores();
    forget_sessions();
  }
  pthread_sigmask(SIG_SETMASK, &signals_before_fork, nullptr);  // handlers may log again
}

// Before anything of the program's can register handlers of its own: in the child they run in the order in which they
// were registered, and may log.
STENO_MAKE_EARLY(exit_key())

void leave_thread(void* opaque) {
  auto* state = static_cast<ThreadState*>(opaque);
  detail::tls_writer = kStandIn;
  detail::tls_writers = stand_ins.of_slot;
  tls_state = nullptr;
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    if (state->rings[slot] != nullptr) Core::at(slot)->detach_ring(state->rings[slot]);
  }
  leave_crash_stack();
  remove_thread_state(state);
}

ThreadState* make_state() {
  ThreadState* const state = make_thread_state();
  if (state == nullptr) return nullptr;
  if (std::exchange(tls_inherits, false)) state->context = parents_state->context;
  pthread_setspecific(exit_key(), state);
  tls_state = state;
  detail::tls_writers = state->writers;
  take_crash_stack();
  return state;
}

bool introduce_thread(Core& core, Ring& ring, const ThreadState& thread) {
  return write_thread_record(core, ring, thread.index, thread.tid, thread.name);
}

// A *thread* record ends the context.
void renew_context(ThreadState& thread, std::uint32_t slot) {
  const std::uint64_t bit = std::uint64_t{1} << slot;
  thread.stale = thread.context.fields() != 0 ? thread.stale | bit : thread.stale & ~bit;
}

bool lacks_context(const Core& core) {
  return tls_state != nullptr && (tls_state->stale >> core.slot() & 1) != 0;
}

// Says the thread's context in its ring. False: no room.
bool write_context(Core& core, Ring& ring) {
  std::byte bytes[wire::kMostContext];
  if (!write_own(core, ring, wire::kSiteContext, bytes, tls_state->context.write(bytes))) return false;
  tls_state->stale &= ~(std::uint64_t{1} << core.slot());
  return true;
}

// Whether what must be said before a record (a report of drops, the context) fits together with it, pads included.
// Where a report would fit alone, each record that is refused would be reported by a record of its own.
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
    const std::size_t before =
        (drops ? kDropRecord : 0) + (context ? round_up(wire::kArgsOffset + tls_state->context.size(), 8) : 0);
    const bool room = has_room_for_all(ring, before, bytes, level) ||
                      (grow(core, ring, before + bytes) && has_room_for_all(ring, before, bytes, level));
    if (!room) return false;
    if (drops && !report_drops(core, ring)) return false;
    if (context && !write_context(core, ring)) return false;
  }
  return refill(core, ring, bytes, level);
}

// A manual session's file is tried again by those who need it.
void call_help(Core& core) {
  if (auto help = core.help.load(std::memory_order_acquire)) help(core);
}

// Closes a ring without a record. The next call comes the long way again.
void leave(Ring& ring) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&ring.writer->limit, position_of(ring), __ATOMIC_RELAXED);
}

// Lets some time pass in which the consumer may move head on from `head`: spins, yields, then sleeps (ring.md §4.2).
// Nothing of the record is in the ring yet, so the ring is closed meanwhile: a signal handler that logs finds it as
// between two calls, and waits or drops as its own level says.
void let_consumer_work(Core& core, Ring& ring, std::uint64_t head, unsigned round) {
  leave(ring);
  STENO_DELAY_POINT();
  core.wake(true);
  call_help(core);
  const auto moved = [&] { return ring::load_head(ring.memory.header) != head; };
  if (moved()) {
    // At once, then.
  } else if (round < 64) {
    for (int i = 0; i < 32; ++i) cpu_pause();
  } else if (round < 96) {
    sched_yield();
  } else {
    std::uint32_t* word = &ring.memory.header->producer_waiting;
    __atomic_store_n(word, 1, __ATOMIC_RELAXED);
    // Pairs with the scribe's fence between storing head and looking at the word.
    fence<__ATOMIC_SEQ_CST>();
    STENO_DELAY_POINT();
    if (!moved()) futex_wait(word, 1, 10'000'000);
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
  ~Stall() { core_.note_stall(monotonic_now() - begin_); }

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
    if (core.gives_up()) {
      core.note_gave_up();
      call_help(core);
      if (core.gives_up()) return make_room(core, ring, bytes, level);
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
  Core* core = Core::of_slot(slot);
  if (core == nullptr) return nullptr;
  if (core->take_first_call()) autostart(slot);
  ThreadState* state = tls_state != nullptr ? tls_state : make_state();
  if (state == nullptr) return nullptr;
  Writer* writer = slot == 0 ? &detail::tls_writer : &state->own[slot];
  *writer = kStandIn;
  Ring* ring = core->attach_ring(writer, kThreadRecordRoom);
  may_wait = may_wait && core->state() != Core::State::kBuffering && !tls_scribe;
  // The last owner's drops are reported before its ring changes hands.
  const auto introduce = [&] {
    const bool reported = ring->unaccounted() == 0 || report_drops(*core, *ring);
    return reported && introduce_thread(*core, *ring, *state);
  };
  const auto wait = [&] { return may_wait && wait_for_room(*core, *ring, kThreadRecordRoom, Level::kCritical); };
  if (ring != nullptr && !introduce() && !(wait() && introduce())) {
    // A ring that is full of its last owner's records and that nobody drains.
    core->detach_ring(ring);
    ring = nullptr;
  }
  if (ring == nullptr) {
    *writer = kStandIn;
    return nullptr;
  }
  state->rings[slot] = ring;
  state->writers[slot] = writer;
  state->attached |= std::uint64_t{1} << slot;
  renew_context(*state, slot);
  return ring;
}

// The ring of this thread, attached if need be, its record opened (limit 0). nullptr: there is none to be had, or the
// thread is at it already, and a signal handler came.
// `limit` is what the caller found before it stored 0; `may_wait`: a thread without a ring may wait for one.
Ring* enter(std::uint32_t slot, std::uint64_t limit, bool may_wait) {
  if (tls_attaching) return nullptr;
  tls_attaching = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  Ring* ring = tls_state != nullptr ? tls_state->rings[slot] : nullptr;
  const bool attached = ring == nullptr;
  if (attached) ring = attach(slot, may_wait);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  tls_attaching = false;
  if (!attached && limit == 0) return nullptr;
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
  return enter(slot, limit, false);
}

}  // namespace

void install_thread_hooks() {
  static_cast<void>(exit_key());
}

void mark_scribe_thread() {
  tls_scribe = true;
}

ServesRings::ServesRings() : before_(std::exchange(tls_scribe, true)) {}
ServesRings::~ServesRings() {
  tls_scribe = before_;
}

void rename_thread(const std::string& name) {
  ThreadState* state = tls_state != nullptr ? tls_state : make_state();
  if (state == nullptr) return;
  state->name = name.substr(0, kMaxThreadName);
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    if (state->rings[slot] == nullptr) continue;
    Ring* ring = enter_own(slot);
    if (ring == nullptr) continue;
    Core& core = *Core::at(slot);
    // A ring that is full keeps the old name.
    if (introduce_thread(core, *ring, *state)) renew_context(*state, slot);
    leave(*ring);
  }
}

// visit(ring) for each ring that the thread has.
template <class Visit>
void each_ring(const ThreadState& thread, const Visit& visit) {
  for (std::uint64_t left = thread.attached; left != 0; left &= left - 1) visit(*thread.rings[std::countr_zero(left)]);
}

// Changes the calling thread's context; its rings have it before their next record. A signal handler that logs
// meanwhile, and would have to say it, is refused, because it is half changed; the ring that it leaves open is closed
// after that.
template <class Change>
void change_context(const Change& change) {
  if (tls_attaching) return;
  bool inside = false;  // of a log call that a handler interrupted, which we are called by
  if (tls_state != nullptr) {
    each_ring(*tls_state, [&](const Ring& ring) {
      inside = inside || __atomic_load_n(&ring.writer->limit, __ATOMIC_RELAXED) == 0;
    });
  }
  if (inside) return;
  tls_attaching = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  ThreadState* state = tls_state != nullptr ? tls_state : make_state();
  if (state != nullptr && change(state->context)) state->stale = state->attached;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  tls_attaching = false;
  if (state != nullptr) each_ring(*state, [](Ring& ring) { leave(ring); });
}

bool prepare_thread(std::uint32_t slot) {
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
  if (tls_attaching || tls_state->context.fields() == 0) return true;  // it is being changed, or there is none
  std::byte context[wire::kMostContext];
  return write_own(core, ring, wire::kSiteContext, context, tls_state->context.write(context));
}

void count_discarded(std::uint32_t slot) {
  if (Core* core = Core::at(slot)) core->count_discarded();
}

void count_lost(std::uint32_t slot) {
  Ring* ring = tls_state != nullptr ? tls_state->rings[slot] : nullptr;
  if (ring != nullptr) {
    drop(*Core::at(slot), *ring);
  } else {
    count_discarded(slot);
  }
}

std::uint64_t largest_record(std::uint32_t slot, std::uint64_t wanted) {
  Ring* ring = tls_state != nullptr ? tls_state->rings[slot] : nullptr;
  if (ring == nullptr) return 0;
  const std::uint64_t capacity = std::min(ring->memory.most, std::bit_ceil(2 * wanted));
  if (ring->memory.capacity < capacity) {
    const NoCancellation guard;
    (void)Core::at(slot)->grow_ring(*ring, capacity);
  }
  return std::min<std::uint64_t>(wire::kMaxRecordSize, ring->memory.capacity / 2);
}

}  // namespace steno::runtime

namespace steno::detail {

bool reserve(std::uint32_t slot, std::size_t bytes, Level level, std::uint64_t limit) noexcept {
  using namespace runtime;  // NOLINT: the other half of this file
  Core* const known = Core::at(slot);
  const bool blocks = known != nullptr && known->blocks(level);
  Ring* ring = enter(slot, limit, blocks);
  if (ring == nullptr) {
    count_lost(slot);
    return false;
  }
  Core& core = *Core::at(slot);
  if (bytes <= ring->memory.capacity / 2) {
    if (make_room(core, *ring, bytes, level)) return true;
    ring->use.held_up = true;
    const bool may_wait = core.state() != Core::State::kBuffering && !tls_scribe && core.blocks(level);
    if (may_wait && wait_for_room(core, *ring, bytes, level)) return true;
  }
  drop(core, *ring);
  if (!core.gives_up()) core.wake(false);  // else the scribe tries the file again by itself
  leave(*ring);
  return false;
}

void push_context(const char* name, char type, const void* value, std::size_t size, unsigned* before) noexcept {
  runtime::change_context([&](runtime::ThreadContext& context) {
    *before = context.fields();
    return context.push(name, type, value, size);
  });
}

void pop_context(unsigned before) noexcept {
  if (runtime::tls_state == nullptr && !runtime::tls_inherits) return;
  runtime::change_context([&](runtime::ThreadContext& context) {
    const bool changes = context.fields() > before;
    context.pop_to(before);
    return changes;
  });
}

std::size_t copy_context(char* out, std::size_t room) noexcept {
  const runtime::ThreadState* const thread =
      runtime::tls_state == nullptr && runtime::tls_inherits ? runtime::parents_state : runtime::tls_state;
  return thread != nullptr ? thread->context.copy(out, room) : 0;
}

void push_copied_context(const char* copy, std::size_t size, unsigned* before) noexcept {
  if (size == 0) return;
  runtime::change_context([&](runtime::ThreadContext& context) {
    *before = context.fields();
    return context.push_copy(copy, size);
  });
}

std::uint64_t call_clock(std::uint32_t slot) noexcept {
  return runtime::Core::at(slot)->called_time();
}

void notify(std::uint32_t slot) noexcept {
  runtime::Core::at(slot)->wake(true);
}

}  // namespace steno::detail
