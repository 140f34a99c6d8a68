#include "logfile/file_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef RENAME_NOREPLACE  // musl has it from 1.2.5 on
#include <linux/fs.h>
#endif

#include <atomic>
#include <cerrno>

#include "base/clock.h"

namespace steno::logfile {
namespace {

std::atomic<const FileCalls*> stand_in{nullptr};

int rename_without_replacing(int directory, const char* from, const char* to) {
  if (syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // This file system cannot do that in one step. A process that dies in between leaves two names of one file.
  return linkat(directory, from, directory, to, 0) != 0 ? -1 : unlinkat(directory, from, 0);
}

}  // namespace

const FileCalls& system_file_calls() {
  static constexpr FileCalls kCalls = {
      [](int directory, const char* path, int flags, mode_t mode) { return ::openat(directory, path, flags, mode); },
      ::write,
      ::fdatasync,
      [](int fd, struct stat* st) { return ::fstat(fd, st); },
      [](const char* path, struct stat* st) { return ::stat(path, st); },
      ::pwrite,
      rename_without_replacing,
      wall_now,
      [](int fd, int command, struct flock* request) { return ::fcntl(fd, command, request); },
  };
  return kCalls;
}

void set_file_calls(const FileCalls* calls) {
  stand_in.store(calls, std::memory_order_release);
}

const FileCalls& file_calls() {
  const FileCalls* calls = stand_in.load(std::memory_order_acquire);
  return calls != nullptr ? *calls : system_file_calls();
}

}  // namespace steno::logfile
