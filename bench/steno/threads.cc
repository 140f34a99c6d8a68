// Many threads that begin to log: how long until all are up, beside threads that do not log; how long a first call
// takes, and what an idle thread costs.
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "common/harness.h"

namespace steno::bench {
namespace {

// All wait for a word, and then log once; none ends before the last has logged.
struct Start {
  double all_up_ms = 0;
  std::vector<double> first_us;  // each thread's first call, ascending
  double kib_a_thread = 0;
};

enum class Begin { kAtOnce, kInTurn, kAtOnceSilent };

double log_once(std::size_t number) {
  const std::uint64_t begin = ticks_now();
  STENO_INFO("thread {} is up", number);
  return static_cast<double>(ticks_now() - begin) * ns_per_tick() / 1e3;
}

// Sleeps until the counter is `value`: a thread that looks all the time would take a processor from those that it waits
// for.
void await(const std::atomic<std::size_t>& counter, std::size_t value) {
  for (std::size_t now = counter.load(); now < value; now = counter.load()) counter.wait(now);
}

// At once: by a barrier; else each as soon as the one before has logged.
Start start_threads(std::size_t count, Begin how) {
  const bool at_once = how != Begin::kInTurn;
  Start result;
  result.first_us.resize(count);
  std::atomic<std::size_t> waiting{0};
  std::atomic<std::size_t> up{0};
  std::atomic<std::uint32_t> go{0};
  std::atomic<std::uint32_t> end{0};
  const std::uint64_t before = steno::stats().staging_bytes;
  std::vector<std::thread> threads;
  double begin = seconds_now();
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ++waiting;
      go.wait(at_once ? 0 : 2);
      if (how != Begin::kAtOnceSilent) result.first_us[i] = log_once(i);
      if (++up == count || !at_once) up.notify_one();
      end.wait(0);
    });
    if (!at_once) await(up, i + 1);
  }
  if (at_once) {
    while (waiting.load() < count) std::this_thread::yield();
    begin = seconds_now();
    go = 1;
    go.notify_all();
  }
  await(up, count);
  result.all_up_ms = (seconds_now() - begin) * 1e3;
  result.kib_a_thread = static_cast<double>(steno::stats().staging_bytes - before) / 1024 / static_cast<double>(count);
  end = 1;
  end.notify_all();
  for (std::thread& thread : threads) thread.join();
  std::sort(result.first_us.begin(), result.first_us.end());
  return result;
}

struct Figures {
  double all_up_ms = 0;
  double p50_us = 0;
  double p99_us = 0;
  double kib_a_thread = 0;
};

// Measures in a process of its own, because later threads take the rings of those before.
Figures measure(const Flags& flags, std::size_t count, Begin how) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    Options options;
    options.path = flags.directory + "/threads.steno";
    if (!steno::start(options)) std::_Exit(1);
    const Start start = start_threads(count, how);
    const Figures figures = {start.all_up_ms, percentile(start.first_us, 0.5), percentile(start.first_us, 0.99),
                             start.kib_a_thread};
    steno::stop();
    const bool told = write(ends[1], &figures, sizeof figures) == sizeof figures;
    std::exit(told ? 0 : 1);
  }
  Figures figures;
  close(ends[1]);
  if (read(ends[0], &figures, sizeof figures) != sizeof figures) std::exit(1);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return figures;
}

Suite threads(const Flags& flags) {
  Suite suite{"threads", "2,000 threads log their first record", "see the columns", true, {}, {}};
  const std::size_t count = flags.smoke ? 20 : 2000;
  (void)ns_per_tick();  // measured once, here
  const Figures silent = measure(flags, count, Begin::kAtOnceSilent);
  const Figures at_once = measure(flags, count, Begin::kAtOnce);
  const Figures in_turn = measure(flags, count, Begin::kInTurn);
  const auto row = [&](const char* label, const Figures& found) {
    suite.rows.push_back({label,
                          {{"ms until all are up", found.all_up_ms},
                           {"first call p50, us", found.p50_us},
                           {"p99", found.p99_us},
                           {"KiB a thread", found.kib_a_thread}}});
  };
  row("at once", at_once);
  row("one after the other", in_turn);
  suite.rows.push_back({"at once, without a log call", {{"ms until all are up", silent.all_up_ms}}});
  suite.bars.push_back({"2,000 threads up, ms", at_once.all_up_ms, 50, at_once.all_up_ms <= 50});
  suite.bars.push_back({"first call p99, us", at_once.p99_us, 100, at_once.p99_us <= 100});
  suite.bars.push_back({"KiB an idle thread", at_once.kib_a_thread, 70, at_once.kib_a_thread <= 70});
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {threads(flags)});
}
