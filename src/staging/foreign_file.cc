#include "staging/foreign_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace steno::staging {

int open_staging_file(int directory_fd, uid_t owner, const char* name, int flags) {
  const int fd = openat(directory_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat st {};
  if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner)) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

std::uint64_t bytes_worth_reading(std::uint64_t size, std::uint64_t allocated) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 16;  // read whatever it takes
  constexpr std::uint64_t kCompression = 8;
  return std::min(size, kSmall + kCompression * allocated);
}

}  // namespace steno::staging
