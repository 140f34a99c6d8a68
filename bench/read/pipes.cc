#include "read/pipes.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "common/harness.h"

namespace steno::bench {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;  // as `steno cat` writes
constexpr int kPipe = 1 << 20;                        // as it asks for

std::size_t drain(int fd) {
  static std::vector<char> buffer(kChunk);
  std::size_t bytes = 0;
  for (ssize_t n = 0; (n = ::read(fd, buffer.data(), buffer.size())) > 0;) bytes += static_cast<std::size_t>(n);
  return bytes;
}

[[noreturn]] void write_bytes(int fd, std::size_t bytes) {
  const std::vector<char> buffer(kChunk, 'x');
  while (bytes != 0) {
    const ssize_t n = ::write(fd, buffer.data(), std::min(bytes, buffer.size()));
    if (n <= 0) std::_Exit(1);
    bytes -= static_cast<std::size_t>(n);
  }
  std::_Exit(0);
}

}  // namespace

Drained drain_command(const std::string& line) {
  Drained result;
  const double begin = seconds_now();
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe != nullptr) result.bytes = drain(::fileno(pipe));
  const bool good = pipe != nullptr && ::pclose(pipe) == 0;
  result.seconds = good ? seconds_now() - begin : std::numeric_limits<double>::infinity();
  if (!good) std::fprintf(stderr, "failed: %s\n", line.c_str());
  return result;
}

Drained drain_bytes(std::size_t bytes) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(1);
  Drained result;
  const double begin = seconds_now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::fcntl(ends[1], F_SETPIPE_SZ, kPipe);
    write_bytes(ends[1], bytes);
  }
  ::close(ends[1]);
  result.bytes = drain(ends[0]);
  result.seconds = seconds_now() - begin;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return result;
}

}  // namespace steno::bench
