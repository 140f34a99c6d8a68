#include "staging/session_id.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>

#include "base/checksum.h"
#include "staging/directory.h"

namespace steno::staging {
namespace {

// Where numbers of processes are counted: a boot of a machine, and a container in it.
std::uint64_t find_place() {
  char text[128] = {};
  constexpr std::size_t kHalf = sizeof text / 2;
  if (const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); fd >= 0) {
    (void)!read(fd, text, kHalf);
    close(fd);
  }
  (void)!readlink("/proc/self/ns/pid", text + kHalf, kHalf);
  return xxh3(text, sizeof text, 0);
}

// Found once for a process and the children that it forks: files of /proc are dear to open, and a child that begins a
// session does little else. 0: not found yet.
std::uint64_t place() {
  static std::atomic<std::uint64_t> found{0};
  std::uint64_t place = found.load(std::memory_order_relaxed);
  if (place == 0) {
    place = find_place();
    found.store(place, std::memory_order_relaxed);
  }
  return place;
}

}  // namespace

std::uint64_t new_session_id() {
  static std::atomic<std::uint32_t> sessions{0};
  // Odd, and no multiple of it up to the 232nd comes nearer than 272 to a multiple of 65,536: neither do the sessions
  // of processes whose numbers are near.
  constexpr std::uint64_t kStep = 40503;
  constexpr std::uint64_t kTag = 0xffff;
  const std::uint64_t number = sessions.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t tag = place() + static_cast<std::uint64_t>(getpid()) + kStep * number;
  std::uint64_t id = 0;
  while (id == 0) id = (random_id() & ~kTag) | (tag & kTag);
  return id;
}

}  // namespace steno::staging
