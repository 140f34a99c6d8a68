#include "base/fence_all.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace steno {
namespace {

// Constants of linux/membarrier.h, which is newer than some systems that steno is built on.
constexpr int kPrivateExpedited = 1 << 3;
constexpr int kRegisterPrivateExpedited = 1 << 4;

int membarrier(int command) {
#ifdef SYS_membarrier
  return static_cast<int>(syscall(SYS_membarrier, command, 0, 0));
#else
  (void)command;
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace

bool fence_all_threads() {
  static std::atomic<bool> absent{false};
  if (absent.load(std::memory_order_relaxed)) return false;
  if (membarrier(kPrivateExpedited) == 0) return true;
  // The process is not registered: this is the first call, or it was forked.
  const bool done = errno == EPERM && membarrier(kRegisterPrivateExpedited) == 0 && membarrier(kPrivateExpedited) == 0;
  if (!done) absent.store(true, std::memory_order_relaxed);
  return done;
}

}  // namespace steno
