// survivor WHAT LOG...: a program on a machine, or with code beside it, that is not good to it. Says on stdout what it
// saw.
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <steno/sink.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "../../failing_allocator.h"

namespace {

bool is_scribe() {
  static thread_local int known = -1;
  if (known < 0) {
    char name[32] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    if (std::strcmp(name, "steno-scribe") == 0) {
      known = 1;
    } else {
      return false;  // it gets its name a little later
    }
  }
  return known == 1;
}

steno::Options options_for(const char* log) {
  steno::Options options;
  options.path = log;
  options.on_warning = [](const std::string& what) { std::printf("warning: %s\n", what.c_str()); };
  return options;
}

// Logs records of many kinds, so that statements, loggers, threads' names and blocks are declared, and written, as
// memory fails.
void log_some(int from, int to) {
  static const steno::Logger loggers[] = {steno::logger("one"), steno::logger("a longer name of a logger, two")};
  for (int i = from; i < to; ++i) {
    STENO_INFO("number {i}", i);
    if (i % 7 == 0) STENO_LOG_TO(loggers[i / 7 % 2], INFO, "number {i} of {text}", i, std::string(i % 300, 'x'));
    if (i % 11 == 0) STENO_WARN("number {i}: {real} {text}", i, i / 3.0, std::to_string(i));
  }
}

int records_of(int from, int to) {
  int records = 0;
  for (int i = from; i < to; ++i) records += 1 + (i % 7 == 0 ? 1 : 0) + (i % 11 == 0 ? 1 : 0);
  return records;
}

// Memory fails at the n-th allocation of the scribe, and at those after it. With `rotates`, in one of several files.
int fail_allocations(const char* log, long at, long count, bool rotates) {
  steno::Options options = options_for(log);
  options.rotation.name = "{stem}{ext}.{n}";
  options.ring_bytes = 65536;
  options.block_at_most = steno::kForever;  // or calls would drop, and count, what they have waited for too long
  if (!steno::start(options)) return 1;
  steno_test::counts = is_scribe;
  steno_test::fail_count = count;
  steno_test::fail_at = at;
  constexpr int kEnd = 3000;
  for (int i = 0; i < kEnd; i += 300) {
    log_some(i, i + 300);
    (void)steno::flush();
    if (rotates && i % 600 == 0) (void)steno::rotate();
  }
  steno_test::fail_at = 0;
  const bool flushed = steno::flush().ok();
  steno::stop();
  std::printf("logged %d\nflush %s\n", records_of(0, kEnd), flushed ? "ok" : "failed");
  return 0;
}

// No memory for anybody any more (RLIMIT_DATA), from the start on or after a while.
int limit_memory(const char* log, bool at_once) {
  steno::Options options = options_for(log);
  options.block_at_most = std::chrono::milliseconds(200);
  if (!steno::start(options)) return 1;
  int logged = 0;
  if (!at_once) {
    STENO_INFO("number {i}", 0);
    ++logged;
    (void)steno::flush();
  }
  const rlimit none{0, RLIM_INFINITY};
  const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_DATA, &none);
  for (int i = 1; i < 100'000; ++i, ++logged) STENO_INFO("number {i} {} {}", i, "some text", i / 7.0);
  const bool starved = steno::flush().ok();
  setrlimit(RLIMIT_DATA, &all);
  const bool fed = steno::flush().ok();
  steno::stop();
  std::printf("logged %d\nflush %s, then %s\n", logged, starved ? "ok" : "failed", fed ? "ok" : "failed");
  return 0;
}

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

// There are no descriptors and no memory any more, so threads that log for the first time get no ring.
int no_ring(const char* log) {
  if (!steno::start(options_for(log))) return 1;
  constexpr int kThreads = 8;
  std::atomic<std::size_t> refused{0};
  std::atomic<int> begun{0};
  std::atomic<int> logged{0};
  std::atomic<bool> limited{false};
  std::vector<std::thread> threads(kThreads);
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      ++begun;
      while (!limited) sleep_ms(1);
      for (int i = 0; i < 100; ++i) refused += STENO_TRY_INFO("number {i}", i) ? 0 : 1;
      ++logged;
      while (logged != kThreads) sleep_ms(1);  // none takes the ring of another
    });
  }
  while (begun != kThreads) sleep_ms(1);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit no_files{3, files.rlim_max};
  rlimit memory{};
  getrlimit(RLIMIT_AS, &memory);
  unsigned long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit no_memory{pages * static_cast<unsigned long>(getpagesize()), memory.rlim_max};
  setrlimit(RLIMIT_NOFILE, &no_files);
  setrlimit(RLIMIT_AS, &no_memory);
  limited = true;
  for (std::thread& thread : threads) thread.join();
  const steno::Status starved = steno::flush();
  setrlimit(RLIMIT_NOFILE, &files);
  setrlimit(RLIMIT_AS, &memory);
  std::printf("refused %zu\ndiscarded %lu\nflush %s\n", refused.load(),
              static_cast<unsigned long>(steno::stats().discarded), starved.ok() ? "ok" : starved.message().c_str());
  std::thread([] { STENO_INFO("number {i}", 100); }).join();
  steno::stop();
  return 0;
}

long scribe_switches() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    std::getline(comm, name);
    if (name != "steno-scribe") continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.find("voluntary_ctxt_switches:") == 0) return std::atol(line.c_str() + line.find(':') + 1);
    }
  }
  return -1;
}

// Prints how often the scribe wakes in some seconds in which nothing is logged; and whether it comes when something is.
int idle(const char* log, bool console) {
  steno::Options options = options_for(log);
  options.flush_interval = std::chrono::milliseconds(300);
  if (console) options.sinks.push_back({.callback = [](const steno::Line&) {}});
  if (!steno::start(options)) return 1;
  for (int i = 0; i < 10; ++i) STENO_INFO("number {i}", i);
  (void)steno::flush();
  sleep_ms(2000);
  const long before = scribe_switches();
  sleep_ms(3000);
  std::printf("idle switches %ld\n", scribe_switches() - before);
  std::uint64_t on_file = steno::stats().records;
  for (int i = 10; i < 14; ++i) {
    STENO_INFO("number {i}", i);
    int waits = 0;
    for (; steno::stats().records == on_file && waits < 1000; ++waits) sleep_ms(10);
    std::printf("came %s\n", waits < 1000 ? "yes" : "no");
    on_file = steno::stats().records;
    sleep_ms(1500);  // it rests again
  }
  steno::stop();
  return 0;
}

// Closes, or replaces by a file of its own, all descriptors that it does not know, as daemons do. Returns that of the
// file.
int take_descriptors(const char* log, bool replace) {
  const std::string strange = std::string(log) + ".strange";
  const int other = open(strange.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  for (int fd = 3; fd < 256; ++fd) {
    if (fd == other) continue;
    if (!replace) {
      close(fd);
    } else if (fcntl(fd, F_GETFD) >= 0) {
      dup2(other, fd);
    }
  }
  return other;
}

long size_of(int fd) {
  struct stat st {};
  return fstat(fd, &st) == 0 ? static_cast<long>(st.st_size) : -1L;
}

// Runs a session with sinks, and a configuration file that is watched.
int close_sinks(const char* log, const char* address, bool replace) {
  steno::Options options = options_for(log);
  const std::string config = std::string(log) + ".toml";
  std::ofstream(config) << "level = \"info\"\n";
  options.config = config;
  steno::SinkOptions text;
  text.path = std::string(log) + ".txt";
  steno::SinkOptions syslog;
  syslog.syslog.address = address;
  options.sinks = {text, syslog};
  if (!steno::start(options)) return 1;
  for (int i = 0; i < 20; ++i) STENO_INFO("number {i}", i);
  (void)steno::flush();
  const int other = take_descriptors(log, replace);
  for (int i = 20; i < 40; ++i) STENO_INFO("number {i}", i);
  (void)steno::flush();
  std::ofstream(config) << "level = \"debug\"\n";
  int waits = 0;
  for (; !steno::logger("any").enabled(steno::Level::kDebug) && waits < 2000; ++waits) sleep_ms(10);
  std::printf("config %s\n", waits < 2000 ? "read" : "not read");
  steno::stop();
  std::printf("strange bytes %ld\n", size_of(other));
  return 0;
}

int close_all(const char* log, bool replace) {
  if (!steno::start(options_for(log))) return 1;
  STENO_INFO("number {i}", 0);
  (void)steno::flush();
  const int other = take_descriptors(log, replace);
  log_some(1, 2000);
  std::printf("flush %s\n", steno::flush().ok() ? "ok" : "failed");
  std::fflush(stdout);
  char byte;
  if (read(STDIN_FILENO, &byte, 1) != 1) return 1;  // until the test has looked
  log_some(2000, 2100);
  std::thread([] { log_some(2100, 2200); }).join();
  std::printf("logged %d\n", 1 + records_of(1, 2200));
  if (byte == 'k') {
    std::fflush(stdout);
    kill(getpid(), SIGKILL);
  }
  steno::stop();
  std::printf("strange bytes %ld\n", size_of(other));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  if (argc == 5 && (what == "fail-allocations" || what == "fail-allocations-and-rotate"))
    return fail_allocations(argv[2], std::atol(argv[3]), std::atol(argv[4]), what != "fail-allocations");
  if (what == "limit-memory") return limit_memory(argv[2], false);
  if (what == "limit-memory-at-once") return limit_memory(argv[2], true);
  if (what == "no-ring") return no_ring(argv[2]);
  if (what == "close-all") return close_all(argv[2], false);
  if (what == "replace-all") return close_all(argv[2], true);
  if (what == "close-sinks" && argc == 4) return close_sinks(argv[2], argv[3], false);
  if (what == "replace-sinks" && argc == 4) return close_sinks(argv[2], argv[3], true);
  if (what == "idle") return idle(argv[2], false);
  if (what == "idle-with-sink") return idle(argv[2], true);
  std::fprintf(stderr, "survivor: what?\n");
  return 2;
}
