#include "control/ask.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/futex.h"
#include "ring/layout.h"

namespace steno::control {
namespace {

constexpr std::int64_t kNsOfMillisecond = 1'000'000;

class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

Status failed(const std::string& what, int error) {
  const StatusCode code = error == ENOENT                     ? StatusCode::kNotFound
                          : error == EACCES || error == EPERM ? StatusCode::kPermissionDenied
                                                              : StatusCode::kIoError;
  return {code, what + ": " + strerror(error)};
}

// The caller may be root and the files may belong to another, untrusted user. So nothing is read or written through a
// mapping; it is mapped only so that futex calls find the threads that sleep there.
class SessionWords {
 public:
  explicit SessionWords(int fd) : fd_(fd) {}
  std::uint32_t load(std::size_t offset) const {
    std::uint32_t value = 0;
    return pread(fd_, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value ? value : 0;
  }
  bool store(std::size_t offset, std::uint32_t value) const {
    return pwrite(fd_, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value;
  }
  void wake(std::size_t offset) const {
    void* const page = mmap(nullptr, ring::kHeaderBytes, PROT_READ, MAP_SHARED, fd_, 0);
    if (page == MAP_FAILED) return;  // it looks again by itself
    futex_wake(reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(page) + offset));
    munmap(page, ring::kHeaderBytes);
  }

 private:
  int fd_;
};

void rest(std::int64_t ns) {
  const timespec time = {0, static_cast<long>(ns)};
  nanosleep(&time, nullptr);
}

// Creates the file and gives it to the owner, or opens the one that exists. That one must belong to the owner and have
// no other hard link, or root could be made to write into another file.
Result<File> open_control(int directory, uid_t owner) {
  const std::string what = "cannot open the file 'control'";
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  File made(openat(directory, "control", kFlags | O_CREAT | O_EXCL, 0600));
  if (made) {
    if (owner != geteuid() && fchown(made.fd(), owner, static_cast<gid_t>(-1)) != 0) return failed(what, errno);
    return made;
  }
  if (errno != EEXIST) return failed(what, errno);
  File file(openat(directory, "control", kFlags));
  struct stat st {};
  if (!file || fstat(file.fd(), &st) != 0) return failed(what, errno);
  if (!S_ISREG(st.st_mode) || st.st_uid != owner || st.st_nlink > 1) {
    return Status(StatusCode::kPermissionDenied, what + ": it is not a regular file of the directory's owner");
  }
  return file;
}

// Opens and locks the file that holds requests, so that only one process asks at a time.
Result<File> lock_control(int directory, uid_t owner, std::int64_t until) {
  for (;;) {
    auto file = open_control(directory, owner);
    const bool gone = !file.ok() && file.status().code() == StatusCode::kNotFound;  // who asked before has removed it
    if (!file.ok() && !gone) return file.status();
    while (!gone && flock(file->fd(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return failed("cannot lock the file 'control'", errno);
      if (monotonic_now() > until) return Status(StatusCode::kFailedPrecondition, "other requests keep it busy");
      rest(kNsOfMillisecond);
    }
    struct stat st {};
    if (!gone && fstat(file->fd(), &st) == 0 && st.st_nlink != 0) return file;
    if (monotonic_now() > until) return Status(StatusCode::kNotFound, "the session has ended");
  }
}

}  // namespace

Result<Message> ask(const std::string& directory, const std::string& request, std::int64_t timeout_ns) {
  const std::int64_t until = monotonic_now() + timeout_ns;
  const File staging(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat st {};
  if (!staging || fstat(staging.fd(), &st) != 0) return failed(directory, errno);
  const uid_t owner = st.st_uid;
  if (owner != geteuid() && geteuid() != 0) {
    return Status(StatusCode::kPermissionDenied,
                  "it belongs to user " + std::to_string(owner) + ": only that one and root may control it");
  }
  const File session(openat(staging.fd(), "session", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!session || fstat(session.fd(), &st) != 0) return failed(directory + "/session", errno);
  if (!S_ISREG(st.st_mode) || st.st_uid != owner || st.st_nlink > 1) {
    return Status(StatusCode::kCorrupt, directory + "/session is not a regular file of the directory's owner");
  }
  auto control = lock_control(staging.fd(), owner, until);
  if (!control.ok()) return control.status();

  const SessionWords words(session.fd());
  Message message;
  message.number = words.load(offsetof(ring::SessionFile, control_request)) + 1;
  message.text = request;
  const std::uint32_t number = message.number;
  int error = write_message(control->fd(), kRequestOffset, message);
  if (error == 0 && !words.store(offsetof(ring::SessionFile, control_request), number)) error = EIO;
  if (error != 0) return failed("cannot ask", error);
  words.store(offsetof(ring::SessionFile, scribe_sleeping), 0);
  words.wake(offsetof(ring::SessionFile, scribe_sleeping));

  Result<Message> answer = Status(StatusCode::kFailedPrecondition, "no answer");
  for (std::int64_t pause = kNsOfMillisecond / 20;; pause = std::min(2 * pause, 2 * kNsOfMillisecond)) {
    if (words.load(offsetof(ring::SessionFile, control_answer)) == number) {
      if (read_message(control->fd(), kAnswerOffset, kMostAnswer, &message) && message.number == number) {
        answer = std::move(message);
      } else {
        answer = Status(StatusCode::kCorrupt, "its answer cannot be read");
      }
      break;
    }
    // Nobody answers for a session that has ended, though its staging may wait for the next one.
    const bool is_over = words.load(offsetof(ring::SessionFile, state)) != ring::kRunning;
    if (is_over || fstat(session.fd(), &st) != 0 || st.st_nlink == 0) {
      answer = Status(StatusCode::kNotFound, "the session has ended");
      break;
    }
    if (monotonic_now() > until) break;
    rest(pause);
  }
  unlinkat(staging.fd(), "control", 0);
  return answer;
}

}  // namespace steno::control
