// Receives the messages of a sink that is no file. It is a process of its own, whose CPU time is not the logger's, and
// counts the messages that come.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace steno::bench {

class Receiver {
 public:
  enum class Of { kDatagrams, kStream, kPipe };  // UDP; TCP, one connection after the other; lines in a pipe

  // Ends the program where it cannot be made.
  explicit Receiver(Of of);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::uint16_t port() const { return port_; }
  int pipe_end() const { return pipe_end_; }  // to write into

  // Returns how many messages have come since the last call, once `expected` are there or none has come for a while:
  // half a second of datagrams, which may be lost, else a minute.
  std::size_t received(std::size_t expected);

 private:
  [[noreturn]] void receive(Of of, int fd);

  const bool may_lose_;
  pid_t process_ = -1;
  std::uint16_t port_ = 0;
  int pipe_end_ = -1;
  std::size_t counted_ = 0;
  std::atomic<std::size_t>* count_ = nullptr;  // shared with the process
};

}  // namespace steno::bench
