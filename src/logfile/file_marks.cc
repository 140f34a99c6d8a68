#include "logfile/file_marks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "logfile/file_calls.h"

namespace steno::logfile {
namespace {

constexpr off_t kRenameByte = off_t{1} << 62;
constexpr off_t kFirstWriter = kRenameByte + 1;
constexpr off_t kWriters = off_t{1} << 32;
constexpr int kMostTries = 64;

// 0, or errno.
int lock(int fd, int command, short type, off_t at, off_t size, short* found = nullptr) {
  struct flock request {};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  request.l_start = at;
  request.l_len = size;
  int result = 0;
  do {
    result = file_calls().lock(fd, command, &request);
  } while (result != 0 && errno == EINTR);
  if (found != nullptr) *found = request.l_type;
  return result == 0 ? 0 : errno;
}

bool is_conflict(int error) {
  return error == EAGAIN || error == EACCES;
}

}  // namespace

bool mark_written(int fd) {
  // A byte for each writer, as only exclusive locks can be had on what is open for writing alone.
  static std::atomic<std::uint32_t> last{0};
  int error = EAGAIN;
  for (int i = 0; i < kMostTries && is_conflict(error); ++i) {
    const std::uint32_t number = static_cast<std::uint32_t>(getpid()) * 1024 + last.fetch_add(1);
    error = lock(fd, F_OFD_SETLK, F_WRLCK, kFirstWriter + number, 1);
  }
  struct stat st {};
  return !is_conflict(error) && (fstat(fd, &st) != 0 || st.st_nlink != 0);
}

bool is_written_by_others(int fd) {
  short found = F_UNLCK;
  return lock(fd, F_OFD_GETLK, F_WRLCK, kFirstWriter, kWriters, &found) == 0 && found != F_UNLCK;
}

Writers mark_removed(int fd) {
  const int error = lock(fd, F_OFD_SETLK, F_WRLCK, kFirstWriter, kWriters);
  return error == 0 ? Writers::kNone : is_conflict(error) ? Writers::kSome : Writers::kUnknown;
}

RenameLock::RenameLock(int fd) : fd_(fd), held_(!is_conflict(lock(fd, F_OFD_SETLK, F_WRLCK, kRenameByte, 1))) {}

RenameLock::~RenameLock() {
  if (held_) (void)lock(fd_, F_OFD_SETLK, F_UNLCK, kRenameByte, 1);
}

}  // namespace steno::logfile
