// A socket whose operations never block longer than a given time.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "base/file_identity.h"
#include "sink/peer_address.h"
#include "steno/status.h"

namespace steno::sink {

// The text of an errno, with kUnsupported for a socket that is of another type, else kIoError.
Status socket_error(int error);

// Closed by its destructor. Non-blocking, and not inherited by programs that are executed.
class Socket {
 public:
  Socket() = default;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { reset(); }

  bool is_open() const { return fd_ >= 0; }
  // False: the program closed the descriptor, or its number leads to another file by now. Costs a system call.
  bool is_ours() const { return identity_.holds(fd_); }
  int fd() const { return fd_; }
  // Closes it. In a forked child, too, whose parent was within any other function.
  void reset();

  // Opens a socket and connects it.
  Status connect(int type, const sockaddr* address, socklen_t size, std::chrono::milliseconds at_most);
  // Fails if `events` do not come in time.
  Status wait(short events, std::chrono::milliseconds at_most) const;

 private:
  int fd_ = -1;
  FileIdentity identity_;
};

// Connects to the first of the host's addresses that accepts: waits for each, `patience` and 5 s at most. Looking the
// host up takes as long as the system's resolver does.
Status connect_to(const PeerAddress& address, int type, std::chrono::milliseconds patience, Socket& socket);

}  // namespace steno::sink
