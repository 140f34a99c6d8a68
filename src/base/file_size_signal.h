// A write or an allocation beyond RLIMIT_FSIZE fails with EFBIG, and the kernel sends SIGXFSZ to the thread besides,
// which ends the process by default. A log must not end a program.
#pragma once

#include <signal.h>
#include <time.h>

#include <cerrno>

namespace steno {

// Keeps SIGXFSZ from the calling thread as long as it lives, and swallows the one that a call meanwhile has caused.
// Where the thread blocks the signal by itself, nothing is swallowed. Keeps errno. Costs three system calls.
class HoldFileSizeSignal {
 public:
  HoldFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    held_ = pthread_sigmask(SIG_BLOCK, &signal_, &before_) == 0 && sigismember(&before_, SIGXFSZ) == 0;
  }
  ~HoldFileSizeSignal() {
    if (!held_) return;
    const int error = errno;
    const timespec now = {};
    // It was not blocked, so none was pending when we came.
    while (sigtimedwait(&signal_, nullptr, &now) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  HoldFileSizeSignal(const HoldFileSizeSignal&) = delete;
  HoldFileSizeSignal& operator=(const HoldFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool held_ = false;
};

}  // namespace steno
