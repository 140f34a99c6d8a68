#include "sink/socket.h"

#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/clock.h"

namespace steno::sink {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::chrono::milliseconds kConnectAtMost{5000};

}  // namespace

Status socket_error(int error) {
  const bool other_type = error == EPROTOTYPE;
  return {other_type ? StatusCode::kUnsupported : StatusCode::kIoError, std::generic_category().message(error)};
}

void Socket::reset() {
  identity_.close(std::exchange(fd_, -1));
}

Status Socket::connect(int type, const sockaddr* address, socklen_t size, std::chrono::milliseconds at_most) {
  reset();
  fd_ = socket(address->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return socket_error(errno);
  identity_ = FileIdentity::of(fd_);
  if (::connect(fd_, address, size) == 0) return {};
  int error = errno;
  if (error == EINPROGRESS) {
    if (Status status = wait(POLLOUT, at_most); !status.ok()) {
      reset();
      return status;
    }
    socklen_t length = sizeof error;
    if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
    if (error == 0) return {};
  }
  reset();
  return socket_error(error);
}

Status Socket::wait(short events, std::chrono::milliseconds at_most) const {
  const std::int64_t end = monotonic_now() + at_most.count() * kMillisecond;
  for (;;) {
    pollfd wanted{fd_, events, 0};
    const std::int64_t left = std::max<std::int64_t>((end - monotonic_now()) / kMillisecond, 0);
    const int n = poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
    if (n > 0) return {};
    if (n == 0) return socket_error(ETIMEDOUT);
    if (errno != EINTR) return socket_error(errno);
  }
}

Status connect_to(const PeerAddress& address, int type, std::chrono::milliseconds patience, Socket& socket) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = type;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (error == EAI_SYSTEM) return socket_error(errno);
  if (error != 0) return {StatusCode::kNotFound, gai_strerror(error)};
  Status status;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    status = socket.connect(type, one->ai_addr, one->ai_addrlen, std::min(patience, kConnectAtMost));
    if (status.ok()) break;
  }
  freeaddrinfo(found);
  return status;
}

}  // namespace steno::sink
