#include "sink/unacknowledged.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace steno::sink {

void Unacknowledged::add(std::size_t bytes, std::size_t lines) {
  pieces_.push_back({bytes, lines});
  bytes_ += bytes;
}

void Unacknowledged::forget(int fd, std::size_t torn) {
  torn_ = torn;
  int waiting = 0;
  if (ioctl(fd, SIOCOUTQ, &waiting) != 0 || waiting < 0) waiting = 0;
  const auto after_first = [this] { return bytes_ - pieces_.front().bytes + torn_; };
  while (!pieces_.empty() && after_first() >= static_cast<std::size_t>(waiting)) {
    bytes_ -= pieces_.front().bytes;
    pieces_.pop_front();
  }
}

std::size_t Unacknowledged::take(int fd) {
  forget(fd, torn_);
  std::size_t lines = 0;
  for (const Piece& piece : pieces_) lines += piece.lines;
  pieces_.clear();
  bytes_ = torn_ = 0;
  return lines;
}

}  // namespace steno::sink
