// A system that refuses, for everything that writes log files in this process: OutputFile's calls, with faults.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "logfile/file_calls.h"

namespace steno_test {

// One at a time. What it does may be changed while others write, and it may end then: it waits for their calls, which
// go to the real system from then on.
class FaultySystem {
 public:
  explicit FaultySystem(std::function<void()> runs_before_write = {}) : before_write(std::move(runs_before_write)) {
    current_ = this;
    static constexpr steno::logfile::FileCalls kCalls = {openat, write,  fdatasync,  fstat,    stat,
                                                         pwrite, rename, wall_clock, lock_file};
    steno::logfile::set_file_calls(&kCalls);
  }
  ~FaultySystem() {
    steno::logfile::set_file_calls(nullptr);
    current_ = nullptr;
    while (in_calls_ != 0) std::this_thread::yield();
  }
  FaultySystem(const FaultySystem&) = delete;
  FaultySystem& operator=(const FaultySystem&) = delete;

  // Every write fails with it; 0: none does.
  std::atomic<int> write_error{0};
  std::atomic<int> sync_error{0};
  // Bytes that fit until the disk is full: the last write that fits is a short one.
  std::atomic<std::int64_t> room{std::numeric_limits<std::int64_t>::max()};
  // How many of a hundred calls are interrupted, are short by a random amount, and fail with a random error.
  std::atomic<unsigned> interrupted{0};
  std::atomic<unsigned> shortened{0};
  std::atomic<unsigned> failed{0};
  // Locks of files fail with it; 0: they do not.
  std::atomic<int> lock_error{0};
  // Renaming fails with it; 0: it does not.
  std::atomic<int> rename_error{0};
  // Added to the clock by which files are rotated, in ns.
  std::atomic<std::int64_t> later{0};
  // Runs before each write; set before anything writes.
  std::function<void()> before_write;
  // Runs before bytes of a file are overwritten; set before anything writes.
  std::function<void()> before_pwrite;

  void seed(unsigned seed) { random_.seed(seed); }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t short_writes() const { return short_writes_; }
  std::uint64_t interruptions() const { return interruptions_; }

 private:
  // The system as one call finds it, which stays until the call is over; null: it has ended.
  class Current {
   public:
    Current() {
      ++in_calls_;
      system_ = current_;
    }
    ~Current() { --in_calls_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    FaultySystem* operator->() const { return system_; }
    explicit operator bool() const { return system_ != nullptr; }

   private:
    FaultySystem* system_;
  };

  static int openat(int directory, const char* path, int flags, mode_t mode) {
    if (const Current system; system && system->interrupt()) return -1;
    return ::openat(directory, path, flags, mode);
  }
  static ssize_t write(int fd, const void* bytes, std::size_t size) {
    const Current system;
    return system ? system->do_write(fd, bytes, size) : ::write(fd, bytes, size);
  }
  static int fdatasync(int fd) {
    const Current system;
    if (system && system->interrupt()) return -1;
    errno = system ? system->sync_error.load() : 0;
    return errno != 0 ? -1 : ::fdatasync(fd);
  }
  static int fstat(int fd, struct stat* st) { return ::fstat(fd, st); }
  static int stat(const char* path, struct stat* st) { return ::stat(path, st); }
  static ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t at) {
    const Current system;
    if (system && system->before_pwrite) system->before_pwrite();
    if (system && system->interrupt()) return -1;
    return ::pwrite(fd, bytes, size, at);
  }
  static int rename(int directory, const char* from, const char* to) {
    const Current system;
    errno = system ? system->rename_error.load() : 0;
    return errno != 0 ? -1 : steno::logfile::system_file_calls().rename(directory, from, to);
  }
  static int lock_file(int fd, int command, struct flock* request) {
    const Current system;
    errno = system ? system->lock_error.load() : 0;
    return errno != 0 ? -1 : ::fcntl(fd, command, request);
  }
  static std::int64_t wall_clock() {
    const Current system;
    return steno::logfile::system_file_calls().wall_clock() + (system ? system->later.load() : 0);
  }

  bool happens(unsigned percent) { return percent != 0 && random_() % 100 < percent; }
  bool interrupt() {
    const std::lock_guard lock(mutex_);
    if (!happens(interrupted)) return false;
    ++interruptions_;
    errno = EINTR;
    return true;
  }
  ssize_t refuse(int error) {
    ++refused_;
    errno = error;
    return -1;
  }

  ssize_t do_write(int fd, const void* bytes, std::size_t size) {
    if (before_write) before_write();
    if (interrupt()) return -1;
    const std::lock_guard lock(mutex_);
    if (const int error = write_error; error != 0) return refuse(error);
    if (happens(failed)) {
      static constexpr int kErrors[] = {ENOSPC, EDQUOT, EIO, EROFS, EFBIG, ENOMEM, EAGAIN};
      return refuse(kErrors[random_() % std::size(kErrors)]);
    }
    const std::int64_t room_now = room;
    if (room_now <= 0) return refuse(ENOSPC);
    std::size_t taken = std::min<std::size_t>(size, static_cast<std::size_t>(room_now));
    if (taken > 1 && happens(shortened)) taken = 1 + random_() % taken;
    if (taken < size) ++short_writes_;
    const ssize_t n = ::write(fd, bytes, taken);
    if (n > 0) room -= n;
    return n;
  }

  static inline std::atomic<FaultySystem*> current_{nullptr};
  static inline std::atomic<int> in_calls_{0};
  std::mutex mutex_;
  std::mt19937 random_{1};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> short_writes_{0};
  std::atomic<std::uint64_t> interruptions_{0};
};

}  // namespace steno_test
