// A lock for code that signal handlers may interrupt and then call again.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <mutex>

namespace steno {

// Blocks the signals of the calling thread while it lives, but for those that its own instructions cause: a handler of
// the program's should see these. Two system calls.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGXFSZ}) sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
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
