// Ports for servers of tests.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace steno_test {

// A port of this machine that nobody uses, and that the system gives to nobody who does not ask for it: another test's
// connection would have it else, or a client's own, which then talks to itself. `type`: SOCK_DGRAM or SOCK_STREAM.
inline int free_port(int type) {
  constexpr int kFirst = 20'000;
  constexpr int kPorts = 12'000;
  static int next = static_cast<int>(getpid() % kPorts * 37);
  for (int i = 0; i < kPorts; ++i, ++next) {
    const int port = kFirst + next % kPorts;
    const int fd = socket(AF_INET, type, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<unsigned short>(port));
    const bool is_free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(fd);
    if (is_free) {
      ++next;
      return port;
    }
  }
  return 0;
}

}  // namespace steno_test
