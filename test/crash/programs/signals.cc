// Threads that log, interrupted all the time by handlers that log. Usage: signals MODE FILE COUNTS; signal_test.cc says
// what must come of it.
#include <signal.h>
#include <steno/session.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "../../sanitizers.h"
#include "numbered_log.h"
#include "signal_counts.h"

#ifndef sigev_notify_thread_id  // glibc 2.35 and older
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace steno::crash {
namespace {

SignalCounts* counts;
std::string source;
Logger signals_logger;
Logger net;
Logger store;
thread_local SignalCounts::PerThread* interrupted = nullptr;  // the counts of this thread; null: it takes no part

constexpr std::array<int, 2> kSignals = {SIGALRM, SIGUSR1};
thread_local std::array<timer_t, 2> timers;

// One shot, so that what handlers do never takes all of the time.
void set_timer(int signal) {
  const bool alarm = signal == SIGALRM;
  const itimerspec soon = {{0, 0}, {0, alarm ? 23'000 : 37'000}};
  timer_settime(timers[alarm ? 0 : 1], 0, &soon, nullptr);
}

// May interrupt itself, through the other signal.
void handle(int signal) {
  SignalCounts::PerThread* mine = interrupted;
  if (mine == nullptr) return;
  const int error = errno;
  const std::uint64_t number = __atomic_fetch_add(&mine->begun, 1, __ATOMIC_RELAXED);
  const std::string_view text = signal_text(source, number);
  if (signal == SIGALRM) {
    STENO_LOG_TO(signals_logger, INFO, "{} handled: {}", number, text);
  } else {
    STENO_LOGF_TO(signals_logger, NOTICE, "%lu handled: %.*s", static_cast<unsigned long>(number),
                  static_cast<int>(text.size()), text.data());
  }
  __atomic_fetch_add(&mine->handled, 1, __ATOMIC_RELEASE);
  set_timer(signal);
  errno = error;
}

// Interrupts the calling thread all the time, for as long as it lives.
class Storm {
 public:
  explicit Storm(unsigned thread) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigevent event{};
      event.sigev_notify = SIGEV_THREAD_ID;
      event.sigev_signo = kSignals[i];
      event.sigev_notify_thread_id = gettid();
      if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) != 0) abort();
    }
    interrupted = &counts->threads[thread];
    for (const int signal : kSignals) set_timer(signal);
  }
  ~Storm() {
    interrupted = nullptr;
    for (timer_t timer : timers) timer_delete(timer);
  }
};

// `thread` of all; in the names of threads it is one of kMaxThreads of a run.
void speak(unsigned thread, std::uint64_t messages) {
  for (std::uint64_t number = 0; number < messages; ++number) {
    log_numbered(thread % kMaxThreads, number, net, store);
    __atomic_store_n(&counts->threads[thread].done, number + 1, __ATOMIC_RELEASE);
    if (number % 1000 == 999) (void)logger("of " + std::to_string(thread % 4 + number / 1000));  // locks and allocates
  }
}

// Each thread is well into its life.
void storm(std::uint64_t messages) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([t, messages] {
      set_thread_name(thread_name(0, t));
      prepare_thread();
      const Storm all_the_time(t);
      speak(t, messages);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// Threads that make their first call in the storm, or in a handler: it is message 0, before which nothing is allocated.
// While the thread gets its ring there is none for the handler: discarded, and counted.
void first_calls() {
  for (unsigned t = 0; t < kSignalThreads; ++t) {
    std::thread([t] {
      set_thread_name(thread_name(t / kMaxThreads, t % kMaxThreads));
      const Storm all_the_time(t);
      for (const std::uint64_t ready = now_ns() + t % 16 * 5'000; now_ns() < ready;) {
      }
      speak(t, 30);
    }).join();
  }
}

SignalCounts* map_signal_counts(const char* path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(SignalCounts)) != 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(SignalCounts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? nullptr : static_cast<SignalCounts*>(memory);
}

int run(const char* mode, const char* file, const char* counts_path) {
  counts = map_signal_counts(counts_path);
  if (counts == nullptr) return 64;
  source = signal_source();
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
  // AddressSanitizer's allocator is one for all threads: a handler that interrupted it and waits for room keeps the
  // scribe out of it. So there is always room.
  constexpr std::size_t kRingBytes = test::kAddressSanitizer ? 1u << 24 : 65536u;
  if (!start({.path = file, .level = Level::kTrace, .ring_bytes = strcmp(mode, "small") == 0 ? 4096u : kRingBytes}))
    return 3;
  signals_logger = logger("signals", Level::kTrace);
  net = logger("net.http", Level::kTrace);
  store = logger("store", Level::kTrace);
  if (strcmp(mode, "storm") == 0 || strcmp(mode, "small") == 0) {
    storm(20'000);
  } else if (strcmp(mode, "kill") == 0) {
    storm(~std::uint64_t{0});
  } else if (strcmp(mode, "first") == 0) {
    first_calls();
  } else {
    return 64;
  }
  return 0;
}

}  // namespace
}  // namespace steno::crash

int main(int argc, char** argv) {
  return argc == 4 ? steno::crash::run(argv[1], argv[2], argv[3]) : 64;
}
