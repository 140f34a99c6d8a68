#include "runtime/thread_hooks.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/early.h"
#include "base/fork_gate.h"
#include "base/own_process.h"
#include "base/signal_safe_lock.h"
#include "base/within.h"
#include "registry/registry.h"
#include "runtime/core.h"
#include "runtime/crash_handler.h"
#include "runtime/hooks.h"
#include "runtime/levels.h"
#include "runtime/run_time_sites.h"
#include "runtime/span.h"
#include "runtime/thread_state.h"
#include "runtime/thread_writer.h"
#include "steno/detail/writer.h"

namespace steno::runtime {
namespace {

ThreadState* volatile parents_state = nullptr;  // of the thread that forked; in the child. Kept for leak checkers

void leave_thread(void* state);
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();
bool take_over_in_fork();

}  // namespace

pthread_key_t exit_key() {
  static const pthread_key_t key = [] {
    pthread_key_t k{};
    // Runs after the destructors of thread_local objects, which may log.
    pthread_key_create(&k, leave_thread);
    set_take_over(take_over_in_fork);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return k;
  }();
  return key;
}
// Registered before the program can register its own handlers: in the child, handlers run in the order of registration,
// and may log. Through an exported function: where there are several copies of steno in a process, each of them comes
// by here, and only the handlers of the copy that serves them all may be registered, once.
STENO_MAKE_EARLY(exit_key())

namespace {

// The child keeps levels, statements and formats, which must not be half changed by a thread that it does not have
// (fork_gate.h).
sigset_t signals_before_fork;  // of the thread whose fork is the outermost

void before_fork() {
  const sigset_t others = signals_of_others();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &others, &before);
  begin_fork();
  if (tls_within.forks == 1) signals_before_fork = before;
}

void after_fork_in_parent() {
  const sigset_t before = signals_before_fork;
  if (end_fork()) pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Memory of the child's own in place of a ring of its parent's.
void make_private(const Ring& ring) {
  alignas(ring::RingHeader) std::byte header[ring::kHeaderBytes];
  std::memcpy(header, static_cast<const void*>(ring.memory.header), sizeof header);
  void* const at = mmap(ring.memory.header, ring::kHeaderBytes + ring.memory.most, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (at != MAP_FAILED) std::memcpy(at, header, sizeof header);
}

std::uint64_t unread_window = 0;

// A call that a signal handler interrupted, and then forked, goes on in the child, with the ring that it was at. It
// gets memory there in which nobody reads what it writes.
bool keep_open_rings(const ThreadState& thread) {
  bool any = false;
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    Ring* const ring = thread.rings[slot];
    if (ring == nullptr) continue;
    const bool open = __atomic_load_n(&ring->writer->limit, __ATOMIC_RELAXED) == 0;
    if (!open && tls_flags.long_ways == 0) continue;
    any = true;
    count_orphan(slot);
    if (ring->memory.in_file) make_private(*ring);
    ring->window = &unread_window;  // the call may change it
    ring->writer->window = &kNoWindow;
  }
  return any;
}

// The child of a fork has one thread, and must not write into the rings that it shares with its parent.
void become_process() {
  forget_changes();
  registry::Registry::instance().after_fork();
  renew_run_time_sites();
  Levels::instance().after_fork();
  if (tls_state == nullptr || !keep_open_rings(*tls_state)) {
    detail::tls_writer = kStandIn;
    detail::tls_writers = stand_ins.of_slot;
  }
  parents_state = tls_state;
  tls_state = nullptr;  // and stays as it is: its context is needed
  forget_thread_states();
  tls_flags.inherits = parents_state != nullptr && !tls_flags.attaching;
  tls_flags.attaching = tls_flags.scribe = false;
  renumber_spans();
  if (pthread_setspecific(exit_key(), nullptr) == 0) {
    forget_cores();
    forget_sessions();
  }
  claim_process();
}

// By a log call of another library's handler, which runs before ours.
bool take_over_in_fork() {
  if (tls_within.forks == 0) return false;
  become_process();
  tls_flags.child = true;
  return true;
}

void after_fork_in_child() {
  const sigset_t before = signals_before_fork;
  if (!tls_flags.child) become_process();
  tls_flags.child = false;
  if (end_fork()) pthread_sigmask(SIG_SETMASK, &before, nullptr);  // handlers may log again
}

// Called once more in each round of destructors, as others log too. After the last one but one, the thread gets no ring
// any more: an allocator may log when the C library frees what the thread had, and nobody calls us after that.
void leave_thread(void*) {
  if (!is_own_process()) return;  // the rings are the parent's
  ThreadState* const state = std::exchange(tls_state, nullptr);
  // Others change writers that rings know. An allocator may log while rings are detached, so writers are left before.
  for (std::uint32_t slot = 0; state != nullptr && slot < kMaxSlots; ++slot) {
    if (state->rings[slot] != nullptr) state->rings[slot]->core->rings().forget_writer(state->rings[slot]);
  }
  detail::tls_writer = kStandIn;
  detail::tls_writers = stand_ins.of_slot;
  if (++tls_flags.destructions >= PTHREAD_DESTRUCTOR_ITERATIONS - 1) tls_flags.ended = true;
  if (!tls_flags.ended) pthread_setspecific(exit_key(), &tls_flags);
  if (state == nullptr) return;
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    if (state->rings[slot] != nullptr) state->rings[slot]->core->rings().detach(state->rings[slot]);
  }
  leave_crash_stack();
  remove_thread_state(state);
}

}  // namespace

bool begin_as_process() {
  if (enter_process()) return true;
  if (has_foreign_changes()) return false;
  become_process();
  return true;
}

void install_thread_hooks() {
  static_cast<void>(exit_key());
}

ThreadState* own_thread_state() {
  if (tls_state != nullptr) return tls_state;
  if (tls_flags.ended) return nullptr;
  ThreadState* const state = make_thread_state();
  if (state == nullptr) return nullptr;
  if (std::exchange(tls_flags.inherits, false)) state->context = parents_state->context;
  pthread_setspecific(exit_key(), state);
  tls_state = state;
  detail::tls_writers = state->writers;
  take_crash_stack();
  return state;
}

const ThreadContext* find_thread_context() {
  const ThreadState* const thread = tls_state == nullptr && tls_flags.inherits ? parents_state : tls_state;
  return thread != nullptr ? &thread->context : nullptr;
}

}  // namespace steno::runtime
