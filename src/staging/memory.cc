#include "staging/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/bytes.h"
#include "base/file_size_signal.h"

namespace steno::staging {
namespace {

// Growing rings leave this much of the file system free for threads without a ring, of any process.
constexpr std::uint64_t kLeftFree = std::uint64_t{1} << 26;
constexpr std::size_t kLeastPage = 4096;  // of all machines
std::atomic<std::size_t> assumed_page{0};

}  // namespace

Status failed(const std::string& what, int error) {
  static constexpr int kNoRoom[] = {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM};
  const bool no_room = std::find(std::begin(kNoRoom), std::end(kNoRoom), error) != std::end(kNoRoom);
  return {no_room ? StatusCode::kExhausted : StatusCode::kIoError, what + ": " + strerror(error)};
}

bool set_mode(int fd, mode_t mode) {
  struct stat st {};
  return fstat(fd, &st) == 0 && ((st.st_mode & 07777) == mode || fchmod(fd, mode) == 0);
}

int make_file(int directory_fd, const char* name, int access) {
  const int fd = openat(directory_fd, name, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && !set_mode(fd, 0600)) {
    const int error = errno;
    close(fd);
    unlinkat(directory_fd, name, 0);
    errno = error;
    return -1;
  }
  return fd;
}

// On some kernels a signal undoes the whole allocation, so under a timer that is quicker than that, trying again would
// never end.
int allocate_pages(int fd, std::size_t size) {
  constexpr int kTries = 100;
  const HoldFileSizeSignal hold;  // rings are files too, made in the user's threads
  int error = EINTR;
  for (int attempt = 0; attempt < kTries && error == EINTR; ++attempt)
    error = posix_fallocate(fd, 0, static_cast<off_t>(size));
  return error;
}

Result<void*> map_pages(int fd, const char* name, std::size_t size, std::size_t most, std::size_t populated) {
  int error = allocate_pages(fd, size);
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  close(fd);
  if (error != 0) return failed(std::string("no room for ") + name, error);
  populate(static_cast<std::byte*>(memory), 0, populated);
  return memory;
}

Result<void*> make_mapped(int directory_fd, const char* name, std::size_t size, std::size_t most,
                          std::size_t populated) {
  const int fd = make_file(directory_fd, name, O_RDWR);
  if (fd < 0) return failed(std::string("cannot make ") + name, errno);
  auto memory = map_pages(fd, name, size, most, populated);
  if (!memory.ok()) unlinkat(directory_fd, name, 0);
  return memory;
}

Result<void*> make_private(std::size_t most, std::size_t populated) {
  void* memory = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return failed("no memory for staging", errno);
  populate(static_cast<std::byte*>(memory), 0, populated);
  return memory;
}

bool leaves_room(int fd, std::uint64_t more) {
  struct statvfs fs {};
  if (fstatvfs(fd, &fs) != 0 || fs.f_blocks == 0) return true;  // tmpfs without a limit
  const std::uint64_t left = std::min<std::uint64_t>(kLeftFree, fs.f_blocks * fs.f_frsize / 8);
  return fs.f_bavail * fs.f_frsize >= more + left;
}

std::size_t page_bytes() {
  if (const std::size_t assumed = assumed_page.load(std::memory_order_relaxed); assumed != 0) return assumed;
  const long page = sysconf(_SC_PAGESIZE);  // no system call
  return page > 0 ? static_cast<std::size_t>(page) : kLeastPage;
}

void assume_page_bytes(std::size_t bytes) {
  assumed_page.store(bytes, std::memory_order_relaxed);
}

std::uint64_t whole_pages(std::uint64_t bytes) {
  return round_up(bytes, page_bytes());
}

void populate(std::byte* mapping, std::size_t begin, std::size_t end) {
  // A fault takes a lock of its mapping only, madvise() that of the address space, for which threads that begin at once
  // would queue.
  constexpr std::size_t kFew = std::size_t{1} << 14;
  if (end <= begin) return;
  if (end - begin <= kFew) {
    for (std::size_t at = begin; at < end; at += kLeastPage)
      __atomic_fetch_or(reinterpret_cast<char*>(mapping + at), 0, __ATOMIC_RELAXED);
    return;
  }
  // From the begin of a page: any other address is refused.
  begin -= begin % page_bytes();
#if defined(MADV_POPULATE_WRITE)
  (void)madvise(mapping + begin, end - begin, MADV_POPULATE_WRITE);  // an older kernel has them fault one by one
#else
  (void)madvise(mapping + begin, end - begin, MADV_WILLNEED);
#endif
}

std::size_t give_back(std::byte* mapping, std::size_t begin, std::size_t end) {
  begin = static_cast<std::size_t>(whole_pages(begin));
  if (begin >= end || madvise(mapping + begin, end - begin, MADV_DONTNEED) != 0) return 0;
  return end - begin;
}

}  // namespace steno::staging
