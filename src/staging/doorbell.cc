#include "staging/doorbell.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_size_signal.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "staging/directory.h"
#include "staging/held_locks.h"

namespace steno::staging {
namespace {

int open_file(const std::string& root, int flags) {
  auto user = open_user_directory(root, false);
  if (!user.ok()) return -1;
  const int fd = openat(*user, "doorbell", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
  close(*user);
  return fd;
}

// The first process creates it, and it stays. A process that arrives during the creation tries again.
bool has_page(int fd) {
  struct stat st {};
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) return false;
  if (st.st_size >= static_cast<off_t>(kDoorbellBytes) && st.st_blocks != 0) return true;
  const HoldFileSizeSignal hold;
  return posix_fallocate(fd, 0, kDoorbellBytes) == 0;
}

}  // namespace

Doorbell* open_doorbell(const std::string& root) {
  const int fd = open_file(root, O_CREAT);
  if (fd < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (has_page(fd)) memory = mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? nullptr : static_cast<Doorbell*>(memory);
}

void close_doorbell(Doorbell* bell) {
  if (bell != nullptr) munmap(bell, kDoorbellBytes);
}

void attend_doorbell(const std::string& root, int* fd) {
  if (*fd < 0) *fd = open_file(root, 0);
  if (*fd >= 0) (void)try_lock(*fd, LockKind::kShared);
}

bool is_attended(const std::string& root) {
  const int fd = open_file(root, 0);
  if (fd < 0) return false;
  const bool attended = !try_lock(fd, LockKind::kExclusive) && errno == EWOULDBLOCK;
  close(fd);
  return attended;
}

void call(Doorbell* bell) {
  __atomic_fetch_add(&bell->calls, 1u, __ATOMIC_RELEASE);
  futex_wake(&bell->calls);
}

// Counted before it is named: a reader that sees the number without the name looks at all directories and finds it
// there.
void call_for_session(Doorbell* bell, std::uint32_t pid, std::uint64_t nonce) {
  const std::uint32_t number = __atomic_add_fetch(&bell->sessions, 1u, __ATOMIC_RELEASE);
  STENO_DELAY_POINT();
  Arrival& arrival = bell->arrivals[number % kArrivals];
  __atomic_store_n(&arrival.nonce, nonce, __ATOMIC_RELAXED);
  __atomic_store_n(&arrival.pid, pid, __ATOMIC_RELAXED);
  __atomic_store_n(&arrival.number, number, __ATOMIC_RELEASE);  // pairs with the load in load_arrival
  call(bell);
}

bool load_arrival(const Doorbell* bell, std::uint32_t number, Arrival* arrival) {
  const Arrival& slot = bell->arrivals[number % kArrivals];
  if (__atomic_load_n(&slot.number, __ATOMIC_ACQUIRE) != number) return false;
  *arrival = {__atomic_load_n(&slot.nonce, __ATOMIC_RELAXED), __atomic_load_n(&slot.pid, __ATOMIC_RELAXED), number};
  return true;
}

std::uint32_t calls(const Doorbell* bell) {
  return __atomic_load_n(&bell->calls, __ATOMIC_ACQUIRE);
}

std::uint32_t sessions(const Doorbell* bell) {
  return __atomic_load_n(&bell->sessions, __ATOMIC_ACQUIRE);
}

}  // namespace steno::staging
