// Measures how soon a change of levels is in effect: from `steno ctl level` or a configuration file that changes to the
// moment when a statement is enabled, which a thread looks at all the time.
#include <fcntl.h>
#include <spawn.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/harness.h"

extern char** environ;

namespace steno::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::perror(("bench/control: " + what).c_str());
  std::exit(1);
}

// Notes when the statement that it looks at becomes enabled, and disabled again.
class Observer {
 public:
  Observer() : thread_([this] { look(); }) {}
  ~Observer() {
    ending_ = true;
    thread_.join();
  }

  // Seconds, when the statement is as it should be; waits for that, but not for ever.
  double seen(bool enabled) const {
    const double begin = seconds_now();
    while (enabled_.load(std::memory_order_acquire) != enabled) {
      if (seconds_now() - begin > 300) fail("a change was not seen");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return since_.load(std::memory_order_acquire);
  }

 private:
  void look() {
    while (!ending_) {
      bool enabled = false;
      STENO_DEBUG("this statement is enabled, {}", (enabled = true));
      if (enabled != enabled_.load(std::memory_order_relaxed)) {
        since_.store(seconds_now(), std::memory_order_relaxed);
        enabled_.store(enabled, std::memory_order_release);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
  }

  std::atomic<bool> ending_{false};
  std::atomic<bool> enabled_{false};
  std::atomic<double> since_{0};
  std::thread thread_;
};

void write_file(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || close(fd) != 0) fail(path);
}

// `steno ctl PATH level RULES`, which ends when the program has acknowledged.
void run_ctl(const std::string& path, const char* rules) {
  std::string arguments[] = {STENO_BINARY, "ctl", path, "level", rules, "--timeout", "5m"};
  char* argv[std::size(arguments) + 1] = {};
  for (std::size_t i = 0; i < std::size(arguments); ++i) argv[i] = arguments[i].data();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawn(&child, STENO_BINARY, &actions, nullptr, argv, environ) != 0) fail("steno ctl");
  posix_spawn_file_actions_destroy(&actions);
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) fail("steno ctl");
}

struct Delays {
  std::vector<double> from_start;  // ms, of what makes the change
  std::vector<double> from_end;    // 0: it was in effect before
};

// `enable` and `disable` in turn; what enables is measured.
Delays measure(const Observer& observer, int repeats, const std::function<void()>& enable,
               const std::function<void()>& disable) {
  Delays delays;
  for (int i = 0; i < repeats; ++i) {
    const double begin = seconds_now();
    enable();
    const double end = seconds_now();
    const double seen = observer.seen(true);
    delays.from_start.push_back((seen - begin) * 1e3);
    delays.from_end.push_back(std::max(0.0, seen - end) * 1e3);
    disable();
    (void)observer.seen(false);
  }
  std::sort(delays.from_start.begin(), delays.from_start.end());
  std::sort(delays.from_end.begin(), delays.from_end.end());
  return delays;
}

Suite control(const Flags& flags) {
  constexpr double kBar = 10;  // ms
  constexpr std::string_view kInfo = "level = \"info\"\n";
  constexpr std::string_view kDebug = "level = \"debug\"\n";
  const int repeats = flags.smoke ? 2 : 200;
  Suite suite{"level_change", "From a change of levels to a statement that is enabled", "ms", true, {}, {}};
  const auto add = [&suite](const std::string& label, const std::vector<double>& ms, bool has_bar) {
    suite.rows.push_back({label,
                          {{"p50", percentile(ms, 0.5)},
                           {"p90", percentile(ms, 0.9)},
                           {"p99", percentile(ms, 0.99)},
                           {"max", ms.back()}}});
    const double p99 = percentile(ms, 0.99);
    if (has_bar) suite.bars.push_back({"level change, " + label + ": p99 in ms", p99, kBar, p99 <= kBar});
  };

  Options options;
  options.path = flags.directory + "/control.steno";
  options.config = flags.directory + "/steno.toml";
  write_file(options.config, kInfo);
  if (const Status status = try_start(options); !status.ok()) fail(status.message());
  {
    const Observer observer;
    const auto set = [](Level level) { return [level] { set_level(level); }; };
    add("set_level() of the program", measure(observer, repeats, set(Level::kDebug), set(Level::kInfo)).from_start,
        false);

    const auto ctl = [&options](const char* rules) { return [&options, rules] { run_ctl(options.path, rules); }; };
    const Delays by_ctl = measure(observer, repeats, ctl("debug"), ctl("info"));
    add("steno ctl level, from its start", by_ctl.from_start, true);
    add("steno ctl level, from its acknowledgement", by_ctl.from_end, true);

    const auto in_place = [&options](std::string_view text) {
      return [&options, text] { write_file(options.config, text); };
    };
    add("configuration file, written and closed",
        measure(observer, repeats, in_place(kDebug), in_place(kInfo)).from_end, true);

    const auto renamed = [&options](std::string_view text) {
      return [&options, text] {
        write_file(options.config + ".new", text);
        std::filesystem::rename(options.config + ".new", options.config);
      };
    };
    add("configuration file, replaced by another", measure(observer, repeats, renamed(kDebug), renamed(kInfo)).from_end,
        true);
  }
  stop();
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {control(flags)});
}
