#include "runtime/thread_state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "base/early.h"
#include "base/never_destroyed.h"
#include "base/signal_safe_lock.h"
#include "runtime/mapped_objects.h"
#include "runtime/thread_writer.h"

namespace steno::runtime {

__thread ThreadState* tls_state __attribute__((tls_model("initial-exec")));
__thread ThreadFlags tls_flags __attribute__((tls_model("initial-exec")));

namespace {

struct alignas(64) OwnWriter : detail::Writer {};  // no cache line of another thread's

struct ThreadStates {
  std::mutex mutex;
  MappedObjects<ThreadState> objects;
  MappedObjects<OwnWriter> writers;
};

ThreadStates& thread_states() {
  static NeverDestroyed<ThreadStates> states;
  return *states;
}
STENO_MAKE_EARLY(thread_states())

std::atomic<std::uint32_t> last_thread_index{0};

}  // namespace

std::uint32_t next_thread_index() {
  return 1 + last_thread_index.fetch_add(1, std::memory_order_relaxed);
}

ThreadState* make_thread_state() {
  void* room = nullptr;
  {
    const SignalSafeLock lock(thread_states().mutex);
    room = thread_states().objects.take_room();
  }
  if (room == nullptr) return nullptr;
  auto* const state = new (room) ThreadState;
  state->index = next_thread_index();
  state->tid = static_cast<std::uint64_t>(syscall(SYS_gettid));
  char name[16] = {};
  if (pthread_getname_np(pthread_self(), name, sizeof name) == 0) state->name = name;
  std::copy(std::begin(stand_ins.of_slot), std::end(stand_ins.of_slot), state->writers);
  return state;
}

void remove_thread_state(ThreadState* state) {
  const SignalSafeLock lock(thread_states().mutex);
  for (std::uint32_t slot = 1; slot < kMaxSlots; ++slot) {
    if (state->rings[slot] != nullptr) thread_states().writers.remove(static_cast<OwnWriter*>(state->writers[slot]));
  }
  thread_states().objects.remove(state);
}

detail::Writer* make_writer() {
  const SignalSafeLock lock(thread_states().mutex);
  return thread_states().writers.make();
}

void remove_writer(detail::Writer* writer) {
  const SignalSafeLock lock(thread_states().mutex);
  thread_states().writers.remove(static_cast<OwnWriter*>(writer));
}

void forget_thread_states() {
  new (&thread_states().mutex) std::mutex;  // whoever held it does not live here
  thread_states().objects.forget();
  thread_states().writers.forget();
}

}  // namespace steno::runtime
