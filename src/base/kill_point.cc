#ifndef STENO_KILL_POINTS
#define STENO_KILL_POINTS  // this file is only in the tests' variant
#endif
#include "base/kill_point.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace steno::base {
namespace {

struct Orders {
  std::string_view armed;
  unsigned long nth = 1;
  const char* log = nullptr;
  unsigned long delay_one_in = 0;
};

/// Read once, at the first visit: that may be before main.
const Orders& orders() {
  static const Orders read = [] {
    Orders orders;
    orders.log = std::getenv("STENO_KILL_LOG");
    if (const char* one_in = std::getenv("STENO_DELAY_POINTS")) orders.delay_one_in = std::strtoul(one_in, nullptr, 10);
    if (const char* at = std::getenv("STENO_KILL_AT")) {
      const char* colon = std::strrchr(at, ':');
      orders.armed = colon == nullptr ? std::string_view(at) : std::string_view(at, colon - at);
      if (colon != nullptr) orders.nth = std::strtoul(colon + 1, nullptr, 10);
    }
    return orders;
  }();
  return read;
}

/// True for the first visit of this point by this process.
bool first_visit(const char* name) {
  static std::array<std::atomic<const char*>, 256> seen{};
  for (auto& slot : seen) {
    const char* there = nullptr;
    if (slot.compare_exchange_strong(there, name)) return true;
    if (there == name || std::strcmp(there, name) == 0) return false;
  }
  return false;
}

/// One write, so that lines of several processes do not mix.
void append_line(const char* path, const char* name) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  std::array<char, 128> line{};
  const std::size_t size = std::min(std::strlen(name), line.size() - 1);
  std::memcpy(line.data(), name, size);
  line[size] = '\n';
  [[maybe_unused]] const ssize_t written = write(fd, line.data(), size + 1);
  close(fd);
}

/// Any number, another for each visit. The sequence is SplitMix64's (Steele, Lea, Flood: Fast splittable pseudorandom
/// number generators, OOPSLA 2014).
std::uint64_t any_number() {
  static std::atomic<std::uint64_t> state{static_cast<std::uint64_t>(getpid())};
  std::uint64_t x = state.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

void delay_point() noexcept {
  const unsigned long one_in = orders().delay_one_in;
  if (one_in == 0) return;
  std::uint64_t number = any_number();
  if (number % one_in != 0) return;
  number /= one_in;
  const long most_ns = number % 32 == 0 ? 10'000'000 : 200'000;
  const timespec time{0, static_cast<long>(number / 32 % static_cast<std::uint64_t>(most_ns))};
  const int error = errno;
  (void)nanosleep(&time, nullptr);
  errno = error;
}

void kill_point(const char* name) noexcept {
  delay_point();
  const Orders& given = orders();
  if (given.log != nullptr && first_visit(name)) append_line(given.log, name);
  if (given.armed != name) return;
  static std::atomic<unsigned long> visits{0};
  if (visits.fetch_add(1) + 1 == given.nth) kill(getpid(), SIGKILL);
}

}  // namespace steno::base
