// A lock for code that signal handlers may interrupt and then call again.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <mutex>
#include <optional>

#include "base/no_cancellation.h"
#include "base/pause.h"
#include "base/within.h"

namespace steno {

// All signals but those that a thread's own instructions cause: a handler of the program's should see these, and a
// thread that blocks them dies of them.
inline sigset_t signals_of_others() {
  sigset_t all;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGXFSZ}) sigdelset(&all, own);
  return all;
}

// Blocks signals_of_others() in the calling thread while it lives; threads that are made meanwhile keep them blocked.
// Nor do calls of the program's that come meanwhile from what this thread calls, as an allocator that logs, lock
// anything (within.h). Two system calls.
class BlockSignals {
 public:
  BlockSignals() {
    const sigset_t others = signals_of_others();
    pthread_sigmask(SIG_BLOCK, &others, &before_);
    inside_.emplace();
  }
  ~BlockSignals() {
    inside_.reset();  // handlers of signals that wait may log
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  std::optional<Inside> inside_;
  sigset_t before_;
};

// Locks a mutex that is only held briefly. Spins for some microseconds before sleeping, because a sleeping thread may
// wake up late when thousands of threads want to run.
inline std::mutex& lock_soon(std::mutex& mutex) {
  for (int i = 0; i < 200; ++i) {
    if (mutex.try_lock()) return mutex;
    cpu_pause();
  }
  mutex.lock();
  return mutex;
}

// Holds a mutex, and no signal handler runs meanwhile: one that logs would wait for the mutex for ever. Nor does an
// allocator that logs (within.h). Nor is the thread cancelled in a system call.
class SignalSafeLock {
 public:
  explicit SignalSafeLock(std::mutex& mutex) : lock_(lock_soon(mutex), std::adopt_lock) {}

 private:
  NoCancellation cancellation_;
  BlockSignals signals_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace steno
