#include "peers/measure.h"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

namespace steno::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Keeps the calling thread, and the threads it will start, on the n-th of `allowed`. With too few cores: no change.
void pin(const cpu_set_t& allowed, int n) {
  if (CPU_COUNT(&allowed) < 2) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || n-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

double file_bytes(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? static_cast<double>(facts.st_size) : 0;
}

void measure_message(Peer& peer, Message message, const std::string& path, const Effort& effort, Figures* figures) {
  std::vector<double> bursts;
  for (std::size_t i = 0; i < effort.bursts; ++i) {
    const auto begin = Clock::now();
    peer.log(message, kBurst);
    bursts.push_back(seconds_since(begin) * 1e9 / kBurst);
    peer.flush();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const int m = static_cast<int>(message);
  figures->call_ns[m] = median(bursts);

  const double bytes_before = file_bytes(path);
  std::size_t logged = 0;
  const auto begin = Clock::now();
  while (logged < kBurst || (logged < effort.sustained_most && seconds_since(begin) < effort.sustained_seconds)) {
    peer.log(message, kBurst);
    logged += kBurst;
  }
  peer.flush();
  const double seconds = seconds_since(begin);
  figures->million_per_second[m] = static_cast<double>(logged) / seconds / 1e6;
  figures->bytes[m] = (file_bytes(path) - bytes_before) / static_cast<double>(logged);
}

Figures measure_here(Peer& peer, const std::string& directory, const Effort& effort) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  const std::string path = directory + "/log";
  pin(allowed, 1);
  peer.start(path);
  pin(allowed, 0);
  Figures figures{};
  for (int m = 0; m < kMessages; ++m) measure_message(peer, static_cast<Message>(m), path, effort, &figures);
  peer.stop();
  return figures;
}

}  // namespace

bool measure(Peer& peer, const std::string& directory, const Effort& effort, Figures* figures) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const std::string own = directory + "/" + std::to_string(getpid());
  std::filesystem::create_directories(own);
  const pid_t child = fork();
  if (child == 0) {
    const Figures result = measure_here(peer, own, effort);
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  const bool complete = child > 0 && read(ends[0], figures, sizeof *figures) == sizeof *figures;
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  std::filesystem::remove_all(own);
  return complete && status == 0;
}

double clock_read_ns(std::size_t bursts) {
  std::vector<double> each;
  for (std::size_t i = 0; i < bursts; ++i) {
    const auto begin = Clock::now();
    for (std::size_t n = 0; n < kBurst; ++n) {
#if defined(__x86_64__)
      const std::uint64_t now = __builtin_ia32_rdtsc();
#else
      const auto now = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
#endif
      asm volatile("" : : "r"(now));  // used, as far as the compiler can tell
    }
    each.push_back(seconds_since(begin) * 1e9 / kBurst);
  }
  return median(each);
}

}  // namespace steno::bench
