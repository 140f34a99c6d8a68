// Counts the lines sent over a stream socket that the peer's system has not acknowledged: it may not have them.
#pragma once

#include <cstddef>
#include <deque>

namespace steno::sink {

class Unacknowledged {
 public:
  // `bytes`, which hold `lines` lines, have been handed to the system.
  void add(std::size_t bytes, std::size_t lines);
  // Asks the system what is still unacknowledged, and forgets the rest. `torn`: bytes of a further piece that has been
  // sent in part.
  void forget(int fd, std::size_t torn);
  // How many lines the peer may not have. They are forgotten.
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
