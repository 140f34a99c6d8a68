#include "output/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "output/pager.h"
#include "output/screen.h"

namespace steno::cli {
namespace {

constexpr int kPatienceMs = 100;  // with a reader that takes nothing, once the end was asked for

}  // namespace

Output::Output(int fd) : fd_(fd), terminal_(::isatty(fd) == 1) {
  // With a larger pipe there are fewer switches between this process and its reader. Fails for other files.
  (void)::fcntl(fd, F_SETPIPE_SZ, 1 << 20);
}

bool Output::flush() {
  write(buffer_);
  buffer_.clear();
  return good_;
}

bool Output::write(const ByteBuffer& bytes) {
  const std::uint8_t* p = bytes.data();
  std::size_t left = good_ ? bytes.size() : 0;
  if (left != 0) fd_ = page(fd_);
  while (left != 0) {
    std::size_t part = left;
    if (end_asked()) {  // never waits in write(), for no other signal may come
      pollfd room{fd_, POLLOUT, 0};
      good_ = ::poll(&room, 1, kPatienceMs) > 0;
      part = std::min<std::size_t>(left, PIPE_BUF);
      if (!good_) break;
    }
    const ssize_t n = ::write(fd_, p, part);
    if (n >= 0) {
      p += n;
      left -= static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      pollfd wait{fd_, POLLOUT, 0};  // another process made the shared standard output non-blocking
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      good_ = false;
      error_ = errno == EPIPE ? 0 : errno;
      break;
    }
  }
  return good_;
}

bool Output::wait(std::int64_t ns) {
  pollfd reader{fd_, 0, 0};  // errors and hang-ups are always reported
  const timespec time = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  if (::ppoll(&reader, 1, &time, nullptr) == 1) good_ = false;
  return good_;
}

}  // namespace steno::cli
