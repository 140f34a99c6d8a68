// Measures the longest call, and the drops, with the default options: one producer at 5 million messages a second, or
// in bursts of 100,000 each 50 ms; on a quiet machine, beside a busy disk, beside two threads that spin.
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/pause.h"
#include "common/harness.h"
#include "common/six_messages.h"

namespace steno::bench {
namespace {

enum class Beside { kNothing, kBusyDisk, kSpinners };

// The other load of the machine, as long as this object lives.
class Company {
 public:
  Company(Beside what, const std::string& directory) {
    if (what == Beside::kSpinners) {
      for (int i = 0; i < 2; ++i) {
        threads_.emplace_back([this] {
          while (!stop_.load(std::memory_order_relaxed)) cpu_pause();
        });
      }
    }
    if (what == Beside::kBusyDisk) threads_.emplace_back([this, directory] { keep_disk_busy(directory + "/ballast"); });
  }
  ~Company() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Company(const Company&) = delete;
  Company& operator=(const Company&) = delete;

 private:
  void keep_disk_busy(const std::string& path) {
    const std::vector<char> bytes(std::size_t{4} << 20, 'b');
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (fd >= 0 && !stop_.load(std::memory_order_relaxed)) {
      if (write(fd, bytes.data(), bytes.size()) < 0) break;
      fdatasync(fd);
      if (lseek(fd, 0, SEEK_CUR) > (off_t{1} << 28)) (void)lseek(fd, 0, SEEK_SET);
    }
    if (fd >= 0) close(fd);
    unlink(path.c_str());
  }

  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

struct Found {
  double longest_ms = 0;
  double dropped_percent = 0;
};

// `burst` messages at once, `gap_ns` from one burst's begin to the next.
Found log_for(double seconds, std::size_t burst, double gap_ns) {
  const double ticks_a_gap = gap_ns / ns_per_tick();
  const std::uint64_t dropped_before = steno::stats().dropped;
  const std::uint64_t begin = ticks_now();
  std::uint64_t longest = 0;
  std::uint64_t calls = 0;
  for (std::size_t n = 0; static_cast<double>(ticks_now() - begin) * ns_per_tick() < seconds * 1e9; ++n) {
    const auto due = static_cast<std::uint64_t>(static_cast<double>(n) * ticks_a_gap);
    while (ticks_now() - begin < due) cpu_pause();
    for (std::size_t i = 0; i < burst; ++i) {
      const std::uint64_t before = ticks_now();
      STENO_INFO("buffer has consumed {} bytes, current allocation: {} bytes", arguments.consumed, arguments.allocated);
      longest = std::max(longest, ticks_now() - before);
    }
    calls += burst;
  }
  const std::uint64_t dropped = steno::stats().dropped - dropped_before;
  return {static_cast<double>(longest) * ns_per_tick() / 1e6,
          100.0 * static_cast<double>(dropped) / static_cast<double>(calls)};
}

Found measure(const Flags& flags, Beside beside, WhenFull when_full, bool bursts, double seconds) {
  Options options;
  options.path = flags.directory + "/stalls.steno";
  options.when_full = when_full;
  std::remove(options.path.c_str());
  if (!steno::start(options)) std::exit(1);
  Found found;
  {
    const Company company(beside, flags.directory);
    // A thread of its own, which comes to a ring that another may have left, as threads do.
    std::thread([&] { found = bursts ? log_for(seconds, 100'000, 50e6) : log_for(seconds, 20, 4000); }).join();
  }
  steno::stop();
  std::remove(options.path.c_str());
  return found;
}

Suite stalls(const Flags& flags) {
  Suite suite{
      "stalls", "The longest call and what is dropped, one producer, default options", "see the columns", true, {}, {}};
  const double seconds = flags.smoke ? 0.05 : 5;
  const std::pair<Beside, const char*> cases[] = {
      {Beside::kNothing, "quiet"}, {Beside::kBusyDisk, "busy disk"}, {Beside::kSpinners, "two spinners"}};
  for (const bool bursts : {false, true}) {
    for (const auto& [beside, name] : cases) {
      const Found blocks = measure(flags, beside, WhenFull::kBlock, bursts, seconds);
      const Found drops = measure(flags, beside, WhenFull::kDrop, bursts, seconds);
      const std::string label = std::string(bursts ? "100,000 each 50 ms" : "5 million a second") + ", " + name;
      suite.rows.push_back({label,
                            {{"longest call, ms", blocks.longest_ms},
                             {"longest, kDrop", drops.longest_ms},
                             {"dropped, %", drops.dropped_percent}}});
      if (beside != Beside::kBusyDisk || bursts) continue;
      suite.bars.push_back({"longest call beside a busy disk, ms", blocks.longest_ms, 1, blocks.longest_ms <= 1});
      suite.bars.push_back({"dropped beside a busy disk, %", drops.dropped_percent, 0, drops.dropped_percent == 0});
    }
  }
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {stalls(flags)});
}
