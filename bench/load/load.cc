// Load held: 64 threads log as fast as they can, and the file takes 20 MB a second. What gets through, how long a call
// takes at the longest, who gets how much, and what is missing afterwards, counted record by record.
#include <steno/log.h>
#include <steno/reader.h>
#include <steno/session.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/harness.h"
#include "logfile/output_file.h"

namespace steno::bench {
namespace {

constexpr int kThreads = 64;
double disk_bytes_per_second = 20e6;
constexpr std::size_t kDiskUnit = 65536;
constexpr std::uint64_t kErrorEvery = 100;

// A disk that takes so much a second and lets the writer wait for it, as the kernel does when its cache is full.
ssize_t slow_write(int fd, const void* bytes, std::size_t size) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point free_at;  // the scribe's alone
  const ssize_t n = ::write(fd, bytes, std::min(size, kDiskUnit));
  if (n <= 0) return n;
  free_at = std::max(free_at, Clock::now()) +
            std::chrono::nanoseconds(std::llround(static_cast<double>(n) / disk_bytes_per_second * 1e9));
  std::this_thread::sleep_until(free_at);
  return n;
}

// Texts that no codec makes small, so that it is the disk that limits.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> made = [] {
    std::mt19937_64 random(1);
    std::vector<std::string> out(65536);
    for (std::string& text : out) {
      for (int i = 0; i < 40; ++i) text += static_cast<char>('!' + random() % 90);
    }
    return out;
  }();
  return made;
}

struct Worker {
  std::uint64_t calls = 0;
  std::uint64_t longest = 0;        // ticks of a call
  std::uint64_t longest_error = 0;  // of one of the protected level
};

void work(int number, const std::atomic<bool>& stop, Worker* out) {
  Worker mine;
  for (std::uint64_t before = ticks_now(); !stop.load(std::memory_order_relaxed);) {
    const std::string& text = texts()[(mine.calls * 31 + static_cast<std::uint64_t>(number) * 977) & 65535];
    const bool error = mine.calls % kErrorEvery == 0;
    if (error) {
      STENO_ERROR("{} {} {}", number, mine.calls, text);
    } else {
      STENO_INFO("{} {} {}", number, mine.calls, text);
    }
    ++mine.calls;
    const std::uint64_t now = ticks_now();
    std::uint64_t& longest = error ? mine.longest_error : mine.longest;
    longest = std::max(longest, now - before);
    before = now;
  }
  *out = mine;
}

// Runs the same threads without a log, to see how long the scheduler alone keeps one from running.
void spin(const std::atomic<bool>& stop, Worker* out) {
  for (std::uint64_t before = ticks_now(); !stop.load(std::memory_order_relaxed);) {
    const std::uint64_t now = ticks_now();
    out->longest = std::max(out->longest, now - before);
    before = now;
  }
}

template <class F>
std::vector<Worker> run_threads(double seconds, F&& f) {
  std::vector<Worker> workers(kThreads);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] { f(t, stop, &workers[static_cast<std::size_t>(t)]); });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return workers;
}

struct Found {
  std::uint64_t records = 0;
  std::uint64_t missing = 0;
  std::uint64_t missing_errors = 0;
  std::uint64_t reported = 0;  // as dropped, by the log itself
  std::uint64_t repeated = 0;  // or out of order
  std::vector<std::uint64_t> of_thread;
};

// Reads the log back and looks for every number of every thread.
Found read_back(const std::string& path, const std::vector<Worker>& workers) {
  Found found;
  found.of_thread.resize(kThreads);
  std::vector<std::uint64_t> next(kThreads);
  auto log = LogReader::open({path});
  if (!log.ok()) {
    std::fprintf(stderr, "%s\n", log.status().message().c_str());
    std::exit(1);
  }
  const auto miss_up_to = [&](std::size_t thread, std::uint64_t number) {
    for (std::uint64_t& n = next[thread]; n < number; ++n) {
      ++found.missing;
      found.missing_errors += n % kErrorEvery == 0;
    }
  };
  ReadFilter filter;
  filter.sort = false;
  log->for_each(filter, [&](const Record& record) {
    if (record.argument_count() == 2) {  // of drops: how many, since when
      found.reported += record.argument(0).as_uint64();
      return;
    }
    const auto thread = static_cast<std::size_t>(record.argument(0).as_uint64());
    const std::uint64_t number = record.argument(1).as_uint64();
    if (number < next[thread]) ++found.repeated;
    miss_up_to(thread, number);
    next[thread] = number + 1;
    ++found.records;
    ++found.of_thread[thread];
  });
  for (std::size_t t = 0; t < kThreads; ++t) miss_up_to(t, workers[t].calls);
  return found;
}

double ms(std::uint64_t ticks) {
  return static_cast<double>(ticks) * ns_per_tick() / 1e6;
}

void bar_of_zero(Suite* suite, const std::string& metric, std::uint64_t value) {
  suite->bars.push_back({metric, static_cast<double>(value), 0, value == 0});
}

void run(const Flags& flags, Suite* suite, WhenFull when_full, std::size_t ring_bytes, bool slow, double seconds) {
  Options options;
  options.path = flags.directory + "/load.steno";
  std::remove(options.path.c_str());
  options.ring_bytes = ring_bytes;
  options.when_full = when_full;
  options.when_full_at = {{Level::kError, WhenFull::kBlock}};
  logfile::FileCalls calls = logfile::system_file_calls();
  calls.write = slow_write;
  if (slow) logfile::set_file_calls(&calls);
  const double begin = seconds_now();
  if (const Status status = try_start(options); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }
  const std::vector<Worker> workers = run_threads(seconds, work);
  stop();
  const double elapsed = seconds_now() - begin;
  logfile::set_file_calls(nullptr);

  const Found found = read_back(options.path, workers);
  Worker all;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t t = 0; t < kThreads; ++t) {
    all.calls += workers[t].calls;
    all.longest = std::max(all.longest, workers[t].longest);
    all.longest_error = std::max(all.longest_error, workers[t].longest_error);
    least = std::min(least, found.of_thread[t]);
  }
  const bool drop = when_full == WhenFull::kDrop;
  const std::string label = std::string(drop ? "drop" : "block") + ", rings of " + std::to_string(ring_bytes >> 10) +
                            " KiB" + (slow ? "" : ", the disk as it is");
  const double mean = static_cast<double>(found.records) / kThreads;
  suite->rows.push_back({label,
                         {{"thousand records/s on file", static_cast<double>(found.records) / elapsed / 1e3},
                          {"longest call, ms", ms(all.longest)},
                          {"longest ERROR call, ms", ms(all.longest_error)},
                          {"dropped, %", 100.0 * static_cast<double>(found.missing) / static_cast<double>(all.calls)},
                          {"ERRORs lost", static_cast<double>(found.missing_errors)},
                          {"least thread / mean", static_cast<double>(least) / mean}}});
  if (!drop) bar_of_zero(suite, label + ": records lost", found.missing);
  bar_of_zero(suite, label + ": ERRORs lost", found.missing_errors);
  bar_of_zero(suite, label + ": lost but not reported", found.missing - std::min(found.missing, found.reported));
  bar_of_zero(suite, label + ": repeated or out of order", found.repeated);
  if (flags.smoke) return;  // too short for a share
  suite->bars.push_back({label + ": the least thread's part of the mean", static_cast<double>(least) / mean, 0.1,
                         static_cast<double>(least) >= 0.1 * mean});
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  const double seconds = flags.smoke ? 0.05 : 5;
  if (flags.smoke) disk_bytes_per_second = 1e9;
  Suite suite{"load", "64 threads on two cores, a disk that takes 20 MB/s", "see the column", true, {}, {}};
  const std::vector<Worker> alone =
      run_threads(seconds, [](int, const std::atomic<bool>& stop, Worker* out) { spin(stop, out); });
  std::uint64_t longest = 0;
  for (const Worker& worker : alone) longest = std::max(longest, worker.longest);
  suite.rows.push_back({"no log: the scheduler alone", {{"longest call, ms", ms(longest)}}});
  // Rings keep their size, so the small ones come first.
  for (const std::size_t ring_bytes : {std::size_t{1} << 16, std::size_t{1} << 20}) {
    for (const steno::WhenFull when_full : {steno::WhenFull::kBlock, steno::WhenFull::kDrop})
      run(flags, &suite, when_full, ring_bytes, true, seconds);
  }
  run(flags, &suite, steno::WhenFull::kBlock, std::size_t{1} << 20, false, seconds);
  return finish(flags, {suite});
}
