#include "ring/log_identity.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace steno::ring {
namespace {

// When the file was made, in ns since the Unix epoch; 0: the file system does not know, or the system call is refused.
std::uint64_t birth_of(int directory, const char* path, int flags) {
#ifdef STATX_BTIME
  struct statx st {};
  if (statx(directory, path, flags, STATX_BTIME, &st) != 0 || (st.stx_mask & STATX_BTIME) == 0) return 0;
  return static_cast<std::uint64_t>(st.stx_btime.tv_sec) * 1'000'000'000 + st.stx_btime.tv_nsec;
#else
  (void)directory;
  (void)path;
  (void)flags;
  return 0;
#endif
}

}  // namespace

LogIdentity identity_of(int fd) {
  struct stat st {};
  if (fstat(fd, &st) != 0) return {};
  return {st.st_dev, st.st_ino, st.st_uid, birth_of(fd, "", AT_EMPTY_PATH)};
}

std::optional<FoundLog> find_log(const std::string& path) {
  struct stat st {};
  if (stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
  return FoundLog{{st.st_dev, st.st_ino, st.st_uid, birth_of(AT_FDCWD, path.c_str(), 0)},
                  static_cast<std::uint64_t>(st.st_size)};
}

}  // namespace steno::ring
