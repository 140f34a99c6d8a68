// What a stream's peer may not have yet: of what was sent over a socket, what the peer's system has not acknowledged.
#pragma once

#include <cstddef>
#include <deque>

namespace steno::sink {

class Unacknowledged {
 public:
  // So many bytes, with so many lines, have been handed to the system.
  void add(std::size_t bytes, std::size_t lines);
  // Looks at what the system still has. `torn`: bytes of something after that is only partly out.
  void forget(int fd, std::size_t torn);
  // Lines that the peer may not have; from now on there are none.
  std::size_t take(int fd);

 private:
  struct Piece {
    std::size_t bytes;
    std::size_t lines;
  };
  std::deque<Piece> pieces_;
  std::size_t bytes_ = 0;  // of these
  std::size_t torn_ = 0;
};

}  // namespace steno::sink
