#include "runtime/thread_hooks.h"

#include <pthread.h>
#include <signal.h>

#include <cstdint>
#include <utility>

#include "base/early.h"
#include "base/signal_safe_lock.h"
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

// The child keeps levels, statements and formats, which must not be half changed by a thread that it does not have.
// Locks are taken in the usual order.
sigset_t signals_before_fork;  // guarded by those locks

void before_fork() {
  const sigset_t others = signals_of_others();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &others, &before);
  Levels::instance().before_fork();
  hold_run_time_sites();
  registry::Registry::instance().before_fork();
  signals_before_fork = before;
}

void after_fork_in_parent() {
  const sigset_t before = signals_before_fork;
  registry::Registry::instance().after_fork(false);
  release_run_time_sites();
  Levels::instance().after_fork();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The child of a fork has one thread, and must not write into the rings that it shares with its parent.
void after_fork_in_child() {
  registry::Registry::instance().after_fork(true);
  release_run_time_sites();
  Levels::instance().after_fork();
  detail::tls_writer = kStandIn;
  detail::tls_writers = stand_ins.of_slot;
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
  pthread_sigmask(SIG_SETMASK, &signals_before_fork, nullptr);  // handlers may log again
}

void leave_thread(void* opaque) {
  auto* state = static_cast<ThreadState*>(opaque);
  detail::tls_writer = kStandIn;
  detail::tls_writers = stand_ins.of_slot;
  tls_state = nullptr;
  for (std::uint32_t slot = 0; slot < kMaxSlots; ++slot) {
    if (state->rings[slot] != nullptr) core_at(slot)->rings().detach(state->rings[slot]);
  }
  leave_crash_stack();
  remove_thread_state(state);
}

}  // namespace

void install_thread_hooks() {
  static_cast<void>(exit_key());
}
// Registered before the program can register its own handlers: in the child, handlers run in the order of registration,
// and may log. Through the exported function: where there are several copies of steno in a process, each of them comes
// by here, and only the handlers of the copy that serves them all may be registered, once.
STENO_MAKE_EARLY(install_thread_hooks())

ThreadState* own_thread_state() {
  if (tls_state != nullptr) return tls_state;
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
