// The system calls for log files, so that tests can stand in for them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

struct flock;
struct stat;

namespace steno::logfile {

// Semantics, results and errno as in POSIX.
struct FileCalls {
  int (*openat)(int directory, const char* path, int flags, mode_t mode);
  ssize_t (*write)(int fd, const void* bytes, std::size_t size);
  int (*fdatasync)(int fd);
  int (*fstat)(int fd, struct stat* st);
  int (*stat)(const char* path, struct stat* st);
  ssize_t (*pwrite)(int fd, const void* bytes, std::size_t size, off_t at);
  // Within the directory; EEXIST where the new name is taken.
  int (*rename)(int directory, const char* from, const char* to);
  std::int64_t (*wall_clock)();                             // ns since the epoch, by which files are rotated
  int (*lock)(int fd, int command, struct flock* request);  // fcntl()
};
const FileCalls& system_file_calls();
// For tests: all of this folder calls these from now on; nullptr: the system again. They must outlive their last call.
void set_file_calls(const FileCalls* calls);
// Those that are to be called.
const FileCalls& file_calls();

}  // namespace steno::logfile
