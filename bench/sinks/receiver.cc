#include "sinks/receiver.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace steno::bench {

namespace {

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int bound_socket(int type, std::uint16_t* port) {
  const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    fail("bench/sinks: a socket");
  }
  *port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

Receiver::Receiver(Of of) : may_lose_(of == Of::kDatagrams) {
  void* const shared = mmap(nullptr, sizeof *count_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("bench/sinks: shared memory");
  count_ = new (shared) std::atomic<std::size_t>(0);
  int fd = -1;
  if (of == Of::kPipe) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("bench/sinks: a pipe");
    fd = ends[0];
    pipe_end_ = ends[1];
  } else {
    fd = bound_socket(of == Of::kDatagrams ? SOCK_DGRAM : SOCK_STREAM, &port_);
    const int room = 64 << 20;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (of == Of::kStream && listen(fd, 8) != 0) fail("bench/sinks: listen");
  }
  process_ = fork();
  if (process_ < 0) fail("bench/sinks: fork");
  if (process_ == 0) receive(of, fd);
  close(fd);
}

Receiver::~Receiver() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  if (pipe_end_ >= 0) close(pipe_end_);
  munmap(static_cast<void*>(count_), sizeof *count_);
}

void Receiver::receive(Of of, int fd) {
  if (pipe_end_ >= 0) close(pipe_end_);
  const char mark = of == Of::kPipe ? '\n' : '<';  // one of each message's characters
  std::vector<char> bytes(1 << 20);
  for (;;) {
    const int from = of == Of::kStream ? accept(fd, nullptr, nullptr) : fd;
    for (ssize_t n = 0; (n = read(from, bytes.data(), bytes.size())) > 0;) {
      count_->fetch_add(
          of == Of::kDatagrams ? 1 : static_cast<std::size_t>(std::count(bytes.data(), bytes.data() + n, mark)),
          std::memory_order_release);
    }
    if (of != Of::kStream) _exit(0);
    close(from);
  }
}

std::size_t Receiver::received(std::size_t expected) {
  const int patience = may_lose_ ? 50 : 6'000;
  std::size_t now = count_->load(std::memory_order_acquire);
  for (int idle = 0; now - counted_ < expected && idle < patience; ++idle) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::size_t before = now;
    now = count_->load(std::memory_order_acquire);
    if (now != before) idle = 0;
  }
  return now - std::exchange(counted_, now);
}

}  // namespace steno::bench
