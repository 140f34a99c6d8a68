// Measures how soon a message is seen: from the log call to the moment when its line can be read from `steno tail -f`,
// alone and beside a thread that logs 100,000 messages a second. It also measures the cost of following.
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/harness.h"

namespace steno::bench {
namespace {

constexpr std::string_view kMark = "marked at ";
constexpr std::int64_t kBatchNs = 100'000;  // the load: so many messages, so often
constexpr int kBatch = 10;
constexpr int kMarkLine = __LINE__ + 3;

void log_mark(std::int64_t time) {
  STENO_NOTICE("marked at {}", time);
}

// Returns the time of a clock that all processes share.
std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void sleep_until(std::int64_t time) {
  const timespec at = {time / 1'000'000'000, time % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

// `steno tail -f`, and a thread that notes when each marked line is there.
class Tail {
 public:
  Tail(const std::string& path, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {STENO_BINARY, "tail", "-f", "-n", "0", "--pattern", "{message}", path};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) fail("bench/tail: pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, STDERR_FILENO);  // what it waits for
      execv(STENO_BINARY, argv.data());
      _exit(127);
    }
    close(out[1]);
    fd_ = out[0];
    reader_ = std::thread([this] { read_marks(); });
  }
  ~Tail() {
    kill(pid_, SIGTERM);
    reader_.join();
    waitpid(pid_, nullptr, 0);
    close(fd_);
  }
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  std::size_t marks() const { return marks_.load(std::memory_order_acquire); }
  std::size_t lines() const { return lines_.load(std::memory_order_acquire); }
  // Returns the delays of the lines from `first` on, in us.
  std::vector<double> delays(std::size_t first) const {
    return {delays_.begin() + std::ptrdiff_t(first), delays_.end()};
  }
  std::int64_t cpu_ns() const {
    clockid_t clock{};
    if (clock_getcpuclockid(pid_, &clock) != 0) fail("bench/tail: the CPU time of steno tail");
    return now_ns(clock);
  }

 private:
  void read_marks() {
    std::vector<char> buffer(1 << 16);
    std::string line;
    for (ssize_t n = 0; (n = read(fd_, buffer.data(), buffer.size())) > 0;) {
      const std::int64_t time = now_ns();
      std::string_view rest(buffer.data(), static_cast<std::size_t>(n));
      for (std::size_t end = 0; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
        take(line.append(rest.substr(0, end)), time);
        line.clear();
      }
      line += rest;
    }
  }
  void take(std::string_view line, std::int64_t time) {
    lines_.fetch_add(1, std::memory_order_relaxed);
    if (!line.starts_with(kMark)) return;
    std::int64_t called = 0;
    std::from_chars(line.data() + kMark.size(), line.data() + line.size(), called);
    delays_.push_back(static_cast<double>(time - called) / 1e3);
    marks_.fetch_add(1, std::memory_order_release);
  }

  pid_t pid_ = -1;
  int fd_ = -1;
  std::thread reader_;
  std::vector<double> delays_;
  std::atomic<std::size_t> marks_{0};
  std::atomic<std::size_t> lines_{0};
};

// A thread that logs, as long as this lives.
class Load {
 public:
  Load() : thread_([this] { log(); }) {}
  ~Load() {
    stop_ = true;
    thread_.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  std::uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }

 private:
  void log() {
    steno::set_thread_name("load");
    prctl(PR_SET_TIMERSLACK, 1UL);
    std::int64_t next = now_ns();
    for (int number = 0; !stop_.load(std::memory_order_relaxed); next += kBatchNs) {
      for (int i = 0; i < kBatch; ++i) STENO_INFO("order {} filled at {} for {}", number++, 101.5, "acme");
      messages_.fetch_add(kBatch, std::memory_order_relaxed);
      sleep_until(next);
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> messages_{0};
  std::thread thread_;
};

bool wait_for_marks(const Tail& tail, std::size_t marks, double seconds) {
  for (const double end = seconds_now() + seconds; tail.marks() < marks;) {
    if (seconds_now() > end) return false;
    sleep_until(now_ns() + 1'000'000);
  }
  return true;
}

struct Case {
  std::string label;
  std::vector<std::string> options;  // of the command
  bool load = false;
};

// One row: delays, and how much CPU following took.
Row measure(const Case& what, const std::string& path, double seconds, double* p99) {
  const std::unique_ptr<Load> load = what.load ? std::make_unique<Load>() : nullptr;
  Tail tail(path, what.options);
  do {
    log_mark(now_ns());
  } while (!wait_for_marks(tail, 1, 0.01));  // it is there
  sleep_until(now_ns() + 100'000'000);
  const std::size_t first = tail.marks();
  const std::uint64_t before = load != nullptr ? load->messages() : 0;
  const std::int64_t cpu = tail.cpu_ns();
  const std::int64_t begin = now_ns();
  std::mt19937_64 random(1);  // not in step with the looks
  std::size_t marks = 0;
  std::int64_t now = begin;
  for (std::int64_t next = begin; now < begin + std::int64_t(seconds * 1e9); ++marks, now = now_ns()) {
    sleep_until(next += 2'000'000 + std::int64_t(random() % 2'000'000));
    log_mark(now_ns());
  }
  const double elapsed = static_cast<double>(now - begin);
  const double busy = static_cast<double>(tail.cpu_ns() - cpu) / elapsed * 100;
  const double rate = load != nullptr ? static_cast<double>(load->messages() - before) / elapsed * 1e9 : 0;
  if (!wait_for_marks(tail, first + marks, 5)) {
    std::fprintf(stderr, "bench/tail: %s: %zu marks of %zu\n", what.label.c_str(), tail.marks() - first, marks);
    std::exit(1);
  }
  std::vector<double> delays = tail.delays(first);
  std::sort(delays.begin(), delays.end());
  *p99 = percentile(delays, 0.99);
  return {what.label,
          {{"p50, us", percentile(delays, 0.5)},
           {"p99, us", *p99},
           {"max, us", delays.back()},
           {"messages/s beside", rate},
           {"CPU of tail, %", busy}}};
}

Row measure_idle(const std::string& path, double seconds) {
  Tail tail(path, {});
  do {
    log_mark(now_ns());
  } while (!wait_for_marks(tail, 1, 0.01));
  sleep_until(now_ns() + 100'000'000);
  const std::int64_t cpu = tail.cpu_ns();
  const std::int64_t begin = now_ns();
  sleep_until(begin + std::int64_t(seconds * 1e9));
  const auto elapsed = static_cast<double>(now_ns() - begin);
  return {"nothing is logged", {{"CPU of tail, %", static_cast<double>(tail.cpu_ns() - cpu) / elapsed * 100}}};
}

Suite tail(const Flags& flags) {
  Suite suite{"tail", "From a log call to its line from steno tail -f", "see the columns", true, {}, {}};
  const std::string path = flags.directory + "/tail.steno";
  if (!steno::start({.path = path})) fail("bench/tail: the log");
  steno::set_thread_name("marks");
  prctl(PR_SET_TIMERSLACK, 1UL);
  log_mark(now_ns());
  const double seconds = flags.smoke ? 0.05 : 4;
  const std::string site = "tail.cc:" + std::to_string(kMarkLine);
  const Case cases[] = {{"alone", {}, false},
                        {"beside 100,000 messages/s, --site of the line", {"--site", site}, true},
                        {"beside 100,000 messages/s, --thread of the line", {"--thread", "marks"}, true},
                        {"beside 100,000 messages/s, all printed", {}, true}};
  for (const Case& one : cases) {
    double p99 = 0;
    suite.rows.push_back(measure(one, path, seconds, &p99));
    suite.bars.push_back({"tail -f, " + one.label + ": p99 in ms", p99 / 1e3, 1, p99 <= 1e3});
  }
  suite.rows.push_back(measure_idle(path, flags.smoke ? 0.05 : 2));
  steno::stop();
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  const Suite suite = tail(flags);
  for (const Row& row : suite.rows) {
    std::printf("%-50s", row.label.c_str());
    for (const auto& [column, value] : row.values) std::printf("  %s %.1f", column.c_str(), value);
    std::printf("\n");
  }
  return finish(flags, {suite});
}
