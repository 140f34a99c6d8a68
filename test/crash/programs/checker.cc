// Logs numbered messages (numbered.h) from several threads and counts each call that has returned in a file that
// outlives it. It is there to be killed. Usage:
//
//   checker FILE COUNTS name=value...       the names are those of Plan below
//
// Exit status: 0 it came to its end, 3 start() failed, 64 wrong usage.
#include <pthread.h>
#include <steno/session.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "numbered_log.h"

namespace steno::crash {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

struct Plan {
  std::string file;
  std::map<std::string, std::uint64_t> values = {
      {"run", 0},      // in the names of threads
      {"threads", 1},  // that log
      {"count", 0},    // messages a thread; 0: until the end
      {"ms", 0},       // until the end; 0: until all have logged `count`
      {"ring", 1 << 20},
      {"drop", 0},  // policy: drop instead of block
      {"flush_ms", 5000},
      {"sync", 0},           // steno::Sync
      {"poll", 0},           // 1: without a scribe thread; 2: and nobody polls, so that nothing is written
      {"early", 0},          // threads log before start()
      {"clock", 0},          // steno::Clock
      {"pace", 0},           // messages between two pauses of a thread of 50 µs; 0: none
      {"flush_us", 0},       // flush() so often; 0: never
      {"restart_us", 0},     // stop(), start() so often
      {"rotate_us", 0},      // another file at the path so often
      {"own_rotate_us", 0},  // steno::rotate() so often
      {"rotate_bytes", 0},   // Rotation::max_bytes
      {"on_start", 0},       // Rotation::on_start
      {"new_formats", 0},    // threads make statements at run time
      {"recorder", 0},       // records below WARN go to a flight recorder that has room for all; written at the end
      {"farewell", 0},       // one more message from each thread's thread_local destructor, and from a static one
      {"end", 0},            // an Ending
  };
  std::uint64_t operator[](const char* name) const { return values.at(name); }
};

// The last records of a thread, logged when the thread or main is over. Speakers are made in order of construction: the
// one of main is static, those of threads are thread_local.
struct Farewell {
  Speaker* speaker = nullptr;
  ~Farewell() {
    if (speaker != nullptr) speaker->speak();
  }
};
Farewell farewell_of_main;
thread_local Farewell farewell;

void run_thread(const Plan& plan, unsigned thread, Counts* counts, const bool* end) {
  set_thread_name(thread_name(plan["run"], thread));
  // Never freed: it is used to the end, whichever that is.
  auto* speaker = new Speaker(thread, counts, logger("net.http", Level::kTrace), logger("store", Level::kTrace),
                              plan["new_formats"] != 0);
  if (plan["farewell"] != 0) farewell.speaker = speaker;
  const std::uint64_t count = plan["count"];
  const std::uint64_t pace = plan["pace"];
  for (std::uint64_t spoken = 0; count == 0 || spoken < count;) {
    spoken = speaker->speak();
    if (__atomic_load_n(end, __ATOMIC_RELAXED)) break;
    if (pace != 0 && spoken % pace == 0) usleep(50);
    pthread_testcancel();
  }
  if (thread == 0 && static_cast<Ending>(plan["end"]) == Ending::kException) throw std::runtime_error("as planned");
}

bool start_session(const Plan& plan) {
  Options options;
  options.path = plan.file;
  options.level = Level::kTrace;
  options.ring_bytes = plan["ring"];
  options.when_full = plan["drop"] != 0 ? WhenFull::kDrop : WhenFull::kBlock;
  options.flush_interval = std::chrono::milliseconds(plan["flush_ms"]);
  options.sync = static_cast<Sync>(plan["sync"]);
  options.sync_interval = std::chrono::milliseconds(1);
  options.rotation.max_bytes = plan["rotate_bytes"];
  options.rotation.on_start = plan["on_start"] != 0;
  options.rotation.name = "{stem}{ext}.own.{pid}.{n}";
  if (plan["recorder"] != 0) options.recorder = {.below = Level::kWarn, .bytes = std::size_t{1} << 25};
  options.scribe_thread = plan["poll"] == 0;
  options.clock = static_cast<Clock>(plan["clock"]);
  return start(options);
}

// Puts another file at the path; the one before keeps its records under a name of its own.
void rotate(const Plan& plan, Counts* counts) {
  const std::uint32_t number = counts->rotations;
  const std::string old = plan.file + "." + std::to_string(plan["run"]) + "." + std::to_string(number);
  if (number % 2 == 0) {
    if (rename(plan.file.c_str(), old.c_str()) != 0) return;
  } else {  // a deletion, as seen from the path
    if (link(plan.file.c_str(), old.c_str()) != 0) return;
    unlink(plan.file.c_str());
  }
  __atomic_store_n(&counts->rotations, number + 1, __ATOMIC_RELAXED);
}

// The work of main while the other threads log.
class Chores {
 public:
  Chores(const Plan& plan, Counts* counts) : plan_(plan), counts_(counts), begin_(steady_clock::now()) {}

  // Returns false if start() failed.
  bool turn() {
    if (plan_["poll"] == 1) (void)poll();
    if (due("flush_us", &flushed_)) (void)flush();
    if (due("rotate_us", &rotated_)) rotate(plan_, counts_);
    if (due("own_rotate_us", &self_rotated_)) (void)steno::rotate();
    if (counts_->reopened != counts_->rotations && has_begun(plan_.file))
      __atomic_store_n(&counts_->reopened, counts_->rotations, __ATOMIC_RELAXED);
    if (!due("restart_us", &restarted_)) return true;
    stop();
    __atomic_fetch_add(&counts_->restarts, 1, __ATOMIC_RELAXED);
    return start_session(plan_);
  }
  bool over() const { return plan_["ms"] != 0 && elapsed() >= static_cast<std::int64_t>(plan_["ms"]) * 1000; }

 private:
  std::int64_t elapsed() const {
    return std::chrono::duration_cast<microseconds>(steady_clock::now() - begin_).count();
  }
  bool due(const char* name, std::int64_t* last) {
    const auto interval = static_cast<std::int64_t>(plan_[name]);
    if (interval == 0 || elapsed() - *last < interval) return false;
    *last = elapsed();
    return true;
  }

  const Plan& plan_;
  Counts* counts_;
  const steady_clock::time_point begin_;
  std::int64_t flushed_ = 0;
  std::int64_t rotated_ = 0;
  std::int64_t self_rotated_ = 0;
  std::int64_t restarted_ = 0;
};

[[noreturn]] void crash() {
  volatile std::uintptr_t address = 8;
  *reinterpret_cast<volatile int*>(address) = 1;
  std::abort();
}

// While the threads log, unless it is kReturn.
void end_by(Ending ending) {
  switch (ending) {
    case Ending::kKill:
      raise(SIGKILL);
      return;
    case Ending::kUnderscoreExit:
      _exit(0);
    case Ending::kSegmentationFault:
      crash();
    case Ending::kAbort:
      std::abort();
    case Ending::kTerminate:
      std::terminate();
    case Ending::kExit:
      std::exit(0);
    case Ending::kQuickExit:
      std::quick_exit(0);
    case Ending::kException:
      sleep(30);
      return;
    default:
      return;
  }
}

// `end`, `running`: live as long as the process does, as the threads may.
int run(const Plan& plan, Counts* counts) {
  static bool end = false;
  static unsigned running = 0;
  const auto threads = static_cast<unsigned>(plan["threads"]);
  std::vector<std::thread> loggers;
  const auto launch = [&] {
    running = threads;
    for (unsigned t = 0; t < threads; ++t) {
      loggers.emplace_back([&plan, counts, t] {
        run_thread(plan, t, counts, &end);
        __atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
      });
    }
  };
  set_level(Level::kTrace);  // before start() too
  if (plan["early"] != 0) launch();
  bool started = start_session(plan);
  __atomic_store_n(&counts->started, started ? 1 : 0, __ATOMIC_RELAXED);
  if (plan["early"] == 0 && started) launch();
  if (plan["farewell"] != 0 && threads < kMaxThreads) {
    set_thread_name(thread_name(plan["run"], threads));
    farewell_of_main.speaker =
        new Speaker(threads, counts, logger("net.http", Level::kTrace), logger("store", Level::kTrace));
  }
  Chores chores(plan, counts);
  while (started && !chores.over() && __atomic_load_n(&running, __ATOMIC_RELAXED) != 0) {
    usleep(100);
    started = chores.turn();
  }
  const auto ending = static_cast<Ending>(plan["end"]);
  if (ending == Ending::kException) __atomic_store_n(&end, true, __ATOMIC_RELAXED);
  end_by(ending);
  for (std::thread& thread : loggers) {
    if (ending == Ending::kMainReturns) thread.detach();
    if (ending == Ending::kCancel) pthread_cancel(thread.native_handle());
  }
  if (ending == Ending::kReturn) __atomic_store_n(&end, true, __ATOMIC_RELAXED);
  for (std::thread& thread : loggers) {
    if (thread.joinable()) thread.join();
  }
  if (plan["recorder"] != 0) (void)dump_recorder();
  return started ? 0 : 3;
}

bool parse(int argc, char** argv, Plan* plan) {
  if (argc < 3) return false;
  plan->file = argv[1];
  for (int i = 3; i < argc; ++i) {
    const char* equals = strchr(argv[i], '=');
    if (equals == nullptr) return false;
    const auto found = plan->values.find(std::string(argv[i], static_cast<std::size_t>(equals - argv[i])));
    if (found == plan->values.end()) return false;
    found->second = strtoull(equals + 1, nullptr, 10);
  }
  return (*plan)["threads"] <= kMaxThreads;
}

}  // namespace
}  // namespace steno::crash

int main(int argc, char** argv) {
  auto& plan = *new steno::crash::Plan;  // threads may outlive main
  if (!steno::crash::parse(argc, argv, &plan)) {
    fprintf(stderr, "usage: checker FILE COUNTS name=value...\n");
    return 64;
  }
  steno::crash::Counts* counts = steno::crash::map_counts(argv[2]);
  return counts != nullptr ? steno::crash::run(plan, counts) : 64;
}
