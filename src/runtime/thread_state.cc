#include "runtime/thread_state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "base/early.h"
#include "base/signal_safe_lock.h"
#include "runtime/mapped_objects.h"
#include "runtime/thread_writer.h"

namespace steno::runtime {
namespace {

struct ThreadStates {
  std::mutex mutex;
  MappedObjects<ThreadState> objects;
};

ThreadStates& thread_states() {
  alignas(ThreadStates) static unsigned char storage[sizeof(ThreadStates)];
  static ThreadStates* const states = new (storage) ThreadStates;  // never destroyed
  return *states;
}
STENO_MAKE_EARLY(thread_states())

std::atomic<std::uint32_t> last_thread_index{0};

}  // namespace

std::uint32_t next_thread_index() {
  return 1 + last_thread_index.fetch_add(1, std::memory_order_relaxed);
}

ThreadState* make_thread_state() {
  ThreadState* state = nullptr;
  {
    const SignalSafeLock lock(thread_states().mutex);
    state = thread_states().objects.make();
  }
  if (state == nullptr) return nullptr;
  state->index = next_thread_index();
  state->tid = static_cast<std::uint64_t>(syscall(SYS_gettid));
  char name[16] = {};
  if (pthread_getname_np(pthread_self(), name, sizeof name) == 0) state->name = name;
  std::copy(std::begin(stand_ins.of_slot), std::end(stand_ins.of_slot), state->writers);
  return state;
}

void remove_thread_state(ThreadState* state) {
  const SignalSafeLock lock(thread_states().mutex);
  thread_states().objects.remove(state);
}

void forget_thread_states() {
  new (&thread_states().mutex) std::mutex;  // whoever held it does not live here
  thread_states().objects.forget();
}

}  // namespace steno::runtime
