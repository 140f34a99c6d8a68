// Keeps a thread from being cancelled where that would leave things half done.
#pragma once

#include <pthread.h>

namespace steno {

// No cancellation point cancels the calling thread while it lives; one that was asked for comes at the next of the
// thread's own. No system call.
class NoCancellation {
 public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace steno
