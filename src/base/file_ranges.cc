#include "base/file_ranges.h"

#include <unistd.h>

#include <cerrno>

namespace steno {

std::size_t read_up_to(int fd, std::uint64_t offset, std::size_t size, void* to) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(fd, static_cast<char*>(to) + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

int write_at(int fd, std::uint64_t offset, std::size_t size, const void* bytes) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n =
        pwrite(fd, static_cast<const char*>(bytes) + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace steno
