// A lock for code that signal handlers may interrupt and then call again.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <mutex>

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
// Two system calls.
class BlockSignals {
 public:
  BlockSignals() {
    const sigset_t others = signals_of_others();
    pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

// Holds a mutex, and no signal handler runs meanwhile: one that logs would wait for the mutex for ever.
class SignalSafeLock {
 public:
  explicit SignalSafeLock(std::mutex& mutex) : lock_(mutex) {}

 private:
  BlockSignals signals_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace steno
