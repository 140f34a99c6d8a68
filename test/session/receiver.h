// Receives as a peer of sinks does: datagrams, or streams that are accepted one by one.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "free_port.h"

namespace steno_test {

// A socket that receives, on this machine.
class Receiver {
 public:
  // `family` and `type`; at `path`, or at a port that is free.
  Receiver(int family, int type, const std::string& path = {}, int port = 0) : fd_(socket(family, type, 0)) {
    if (family == AF_UNIX) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::memcpy(address.sun_path, path.data(), path.size());
      EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << std::strerror(errno);
    } else {
      const int on = 1;
      setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      port_ = port != 0 ? port : free_port(type);
      address.sin_port = htons(static_cast<std::uint16_t>(port_));
      EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << std::strerror(errno);
    }
    if (type == SOCK_STREAM) {
      EXPECT_EQ(listen(fd_, 4), 0);
    }
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver() { close(fd_); }

  int port() const { return port_; }
  int fd() const { return fd_; }

  // The next datagram; empty if none comes.
  std::string datagram() const {
    if (!readable(fd_)) return {};
    std::string text(std::size_t{1} << 17, '\0');
    const ssize_t n = recv(fd_, text.data(), text.size(), 0);
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }
  // A connection of somebody's; the caller closes it.
  int accept_one() const { return readable(fd_) ? accept(fd_, nullptr, nullptr) : -1; }
  // All of a connection that has been closed.
  static std::string all_of(int connection) {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; readable(connection) && (n = recv(connection, buffer, sizeof buffer, 0)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }
  static bool readable(int fd) {
    pollfd wanted{fd, POLLIN, 0};
    return poll(&wanted, 1, 20'000) == 1;
  }

 private:
  const int fd_;
  int port_ = 0;
};

}  // namespace steno_test
