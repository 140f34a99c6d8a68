#include "peers/measure.h"

#include "common/harness.h"

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

double file_bytes(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? static_cast<double>(facts.st_size) : 0;
}

void measure_message(Peer& peer, Message message, const std::string& path, const Effort& effort, Figures* figures) {
  std::vector<double> bursts;
  for (std::size_t i = 0; i < effort.bursts; ++i) {
    const double begin = seconds_now();
    peer.log(message, kBurst);
    bursts.push_back((seconds_now() - begin) * 1e9 / kBurst);
    peer.flush();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const int m = static_cast<int>(message);
  figures->call_ns[m] = median(bursts);

  const double bytes_before = file_bytes(path);
  std::size_t logged = 0;
  const double begin = seconds_now();
  while (logged < kBurst || (logged < effort.sustained_most && (seconds_now() - begin) < effort.sustained_seconds)) {
    peer.log(message, kBurst);
    logged += kBurst;
  }
  peer.flush();
  const double seconds = (seconds_now() - begin);
  figures->million_per_second[m] = static_cast<double>(logged) / seconds / 1e6;
  figures->bytes[m] = (file_bytes(path) - bytes_before) / static_cast<double>(logged);
}

Figures measure_here(Peer& peer, const std::string& directory, const Effort& effort) {
  const std::string path = directory + "/log";
  pin(1);
  peer.start(path);
  pin(0);
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

}  // namespace steno::bench
