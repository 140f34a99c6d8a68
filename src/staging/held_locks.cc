#include "staging/held_locks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/file_identity.h"

namespace steno::staging {
namespace {

constexpr int kMostLocks = 256;  // 64 sessions and many a recovery

// No lock guards them: a fork may come at any time, and in the child nobody would release it.
struct Held {
  std::atomic<int> fd{0};  // descriptor + 1; 0: free; -1: being filled
  FileIdentity file;       // of whoever has fd; set while it is -1
};
Held held[kMostLocks];

Held* find(int fd) {
  for (Held& slot : held) {
    if (slot.fd.load(std::memory_order_acquire) == fd + 1) return &slot;
  }
  return nullptr;
}

// A record lock on all of the file. It belongs to the open file description, as that of flock does, and excludes the
// record locks of processes too. A kernel that knows none (before 3.15) leaves us with flock.
bool set_record_lock(int fd, int command, short type) {
  struct flock record {};
  record.l_type = type;
  record.l_whence = SEEK_SET;
  int result = 0;
  do {
    result = fcntl(fd, command, &record);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL;
}

bool set_flock(int fd, int operation) {
  int result = 0;
  do {
    result = flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// A failed lock may have been taken in part; errno has the reason.
bool give_up(int fd) {
  const int error = errno == EACCES ? EWOULDBLOCK : errno;
  flock(fd, LOCK_UN);
  errno = error;
  return false;
}

}  // namespace

// The flock first: its holder then waits only for record locks of processes that cannot take the flock.
bool try_lock(int fd, LockKind kind) {
  const bool shared = kind == LockKind::kShared;
  if (!set_flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB)) return false;
  return set_record_lock(fd, F_OFD_SETLK, static_cast<short>(shared ? F_RDLCK : F_WRLCK)) || give_up(fd);
}

bool lock(int fd) {
  return set_flock(fd, LOCK_EX) && (set_record_lock(fd, F_OFD_SETLKW, F_WRLCK) || give_up(fd));
}

void unlock(int fd) {
  (void)set_record_lock(fd, F_OFD_SETLK, F_UNLCK);
  flock(fd, LOCK_UN);
}

void hold_lock(int fd) {
  for (Held& slot : held) {
    int expected = 0;
    if (!slot.fd.compare_exchange_strong(expected, -1, std::memory_order_acq_rel)) continue;
    slot.file = FileIdentity::of(fd);
    slot.fd.store(fd + 1, std::memory_order_release);
    return;
  }
}

bool holds_lock(int fd) {
  const Held* const slot = find(fd);
  return slot == nullptr ? fd >= 0 && fcntl(fd, F_GETFD) >= 0 : slot->file.holds(fd);
}

void release_lock(int fd) {
  const bool ours = holds_lock(fd);
  if (ours) unlock(fd);                           // a child that was forked meanwhile may be about to close its copy
  if (Held* const slot = find(fd)) slot->fd = 0;  // before the number can be another file's
  if (ours) close(fd);
}

void abandon_locks() {
  for (Held& slot : held) {
    const int fd = slot.fd.exchange(0, std::memory_order_acq_rel) - 1;
    if (fd >= 0) slot.file.close(fd);
  }
}

}  // namespace steno::staging
