#include "ring/held_locks.h"

#include <sys/file.h>
#include <unistd.h>

#include <atomic>

namespace steno::ring {
namespace {

constexpr int kMostLocks = 256;     // 64 sessions and many a recovery
std::atomic<int> held[kMostLocks];  // descriptor + 1; 0: free

// No lock: a fork may come at any time, and in the child nobody would release it.
bool replace(int from, int to) {
  for (std::atomic<int>& slot : held) {
    int expected = from;
    if (slot.compare_exchange_strong(expected, to, std::memory_order_acq_rel)) return true;
  }
  return false;
}

}  // namespace

void hold_lock(int fd) {
  (void)replace(0, fd + 1);
}

void release_lock(int fd) {
  flock(fd, LOCK_UN);        // a child that was forked meanwhile may be about to close its copy
  (void)replace(fd + 1, 0);  // before the number can be another file's
  close(fd);
}

void abandon_locks() {
  for (std::atomic<int>& slot : held) {
    const int fd = slot.exchange(0, std::memory_order_acq_rel) - 1;
    if (fd >= 0) close(fd);
  }
}

}  // namespace steno::ring
