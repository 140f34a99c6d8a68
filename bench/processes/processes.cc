// Many processes that log into one file: each with a scribe inside, and all through one external scribe. What a record
// costs, what the external scribe takes, and what is lost when it is killed under load.
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/harness.h"

namespace steno::bench {
namespace {

constexpr int kRepeats = 3;

[[noreturn]] void fail(const std::string& what) {
  std::perror(("bench/processes: " + what).c_str());
  std::exit(1);
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

// Returns the CPU time of children that have been waited for.
double children_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// `steno` with these arguments; its output, if it is wanted, goes to the file `out`.
pid_t run_steno(std::vector<std::string> arguments, const std::string& out = "/dev/null") {
  arguments.insert(arguments.begin(), STENO_BINARY);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(fd, STDOUT_FILENO);
  execv(STENO_BINARY, argv.data());
  _exit(127);
}

std::uint64_t records_in(const std::string& log) {
  const std::string out = log + ".count";
  if (wait_for(run_steno({"cat", "--count", log}, out)) != 0) return 0;
  std::uint64_t records = 0;
  std::ifstream(out) >> records;
  return records;
}

std::uint64_t memory_of(pid_t process, const char* what) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(what, 0) == 0)
      return std::strtoull(line.c_str() + std::char_traits<char>::length(what) + 1, nullptr, 10) * 1024;
  }
  return 0;
}

double open_files_of(pid_t process) {
  std::error_code gone;
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(process) + "/fd", gone);
  return static_cast<double>(std::distance(begin(files), end(files)));
}

// Logs, ends its session, and exits as programs do: with _exit() it would leave its staging for the next to recover.
[[noreturn]] void log_and_exit(const std::string& log, bool external, std::uint64_t records) {
  static const char* const kMethods[] = {"GET", "PUT", "POST", "DELETE"};
  Options options;
  options.path = log;
  options.block_at_most = kForever;
  if (external) options.scribe = Scribe::kExternal;
  if (!steno::start(options)) _exit(1);
  for (std::uint64_t i = 0; i < records; ++i)
    STENO_INFO("{method} request {id} took {us} us", kMethods[i % 4], i, i * 2654435761u % 100'000);
  steno::stop();
  std::exit(0);
}

struct Figures {
  double per_second = 0;  // records
  double cpu_ns = 0;      // of all processes, per record
  double lost = 0;
  double scribe_mib = 0;  // the most it took
};

class Runs {
 public:
  explicit Runs(const Flags& flags) : log_(flags.directory + "/log.steno") {}

  // `processes` at once. `kills`: the external scribe is killed so often meanwhile, and started again.
  Figures at_once(int processes, bool external, std::uint64_t records, int kills = 0) {
    (void)unlink(log_.c_str());
    const double cpu = children_seconds();
    const double begin = seconds_now();
    pid_t scribe = external ? run_steno({"scribe", log_}) : 0;
    const std::uint64_t each = records / static_cast<unsigned>(processes);
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
      const pid_t child = fork();
      if (child == 0) log_and_exit(log_, external, each);
      if (child < 0) fail("fork");
      children.push_back(child);
    }
    for (int i = 0; i < kills; ++i) {
      usleep(50'000);
      kill(scribe, SIGKILL);
      (void)wait_for(scribe);
      scribe = run_steno({"scribe", log_});
    }
    for (const pid_t child : children) {
      if (wait_for(child) != 0) fail("a process could not log");
    }
    Figures figures;
    if (external) end(scribe, &figures);
    const double seconds = seconds_now() - begin;
    const double written = static_cast<double>(each) * processes;
    figures.per_second = written / seconds;
    figures.cpu_ns = (children_seconds() - cpu) * 1e9 / written;
    figures.lost = written - static_cast<double>(records_in(log_));
    return figures;
  }

  // One after the other; each logs ten records.
  void short_ones(int processes, Suite* suite) {
    (void)unlink(log_.c_str());
    const pid_t scribe = run_steno({"scribe", log_});
    const double begin = seconds_now();
    double early = 0;
    double early_files = 0;
    for (int i = 0; i < processes; ++i) {
      const pid_t child = fork();
      if (child == 0) log_and_exit(log_, true, 10);
      if (wait_for(child) != 0) fail("a process could not log");
      if (i != processes / 10) continue;
      early = mib(memory_of(scribe, "VmRSS:"));
      early_files = open_files_of(scribe);
    }
    const double each = (seconds_now() - begin) / processes;
    const double late = mib(memory_of(scribe, "VmRSS:"));
    const double late_files = open_files_of(scribe);
    Figures figures;
    end(scribe, &figures);
    const double lost = 10.0 * processes - static_cast<double>(records_in(log_));
    suite->rows.push_back({std::to_string(processes) + " in turn, 10 records each",
                           {{"us a process", each * 1e6},
                            {"MiB after a tenth", early},
                            {"MiB at the end", late},
                            {"descriptors after a tenth", early_files},
                            {"descriptors at the end", late_files},
                            {"lost", lost}}});
    suite->bars.push_back({"a short process through an external scribe, ms", each * 1e3, 5, each * 1e3 <= 5});
    suite->bars.push_back({"records of short processes that are lost", lost, 0, lost == 0});
  }

 private:
  static double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

  // All that was logged is on file by then: processes wait for that when they end.
  static void end(pid_t scribe, Figures* figures) {
    figures->scribe_mib = mib(memory_of(scribe, "VmHWM:"));
    kill(scribe, SIGTERM);
    (void)wait_for(scribe);
  }

  std::string log_;
};

Figures median_of(const std::vector<Figures>& runs) {
  const auto of = [&](double Figures::*what) {
    std::vector<double> values;
    for (const Figures& run : runs) values.push_back(run.*what);
    return median(values);
  };
  Figures figures = {of(&Figures::per_second), of(&Figures::cpu_ns), 0, of(&Figures::scribe_mib)};
  for (const Figures& run : runs) figures.lost += run.lost;
  return figures;
}

int run(int argc, char** argv) {
  const Flags flags = parse_flags(argc, argv);
  const std::uint64_t records = flags.smoke ? 20'000 : 8'000'000;
  Runs runs(flags);
  Suite suite{"processes",
              "Processes that log into one file at once, each with its scribe or all with one",
              "see the columns",
              false,
              {},
              {}};
  for (const int processes : flags.smoke ? std::vector<int>{1, 4} : std::vector<int>{1, 16, 128, 500}) {
    std::vector<Figures> inside;
    std::vector<Figures> external;
    for (int i = 0; i < (flags.smoke ? 1 : kRepeats); ++i) {  // in turn, so that both meet the same neighbours
      inside.push_back(runs.at_once(processes, false, records));
      external.push_back(runs.at_once(processes, true, records));
    }
    const Figures a = median_of(inside);
    const Figures b = median_of(external);
    const std::string label = std::to_string(processes) + (processes == 1 ? " process" : " processes");
    suite.rows.push_back({label,
                          {{"M records/s, inside", a.per_second / 1e6},
                           {"external", b.per_second / 1e6},
                           {"CPU ns/record, inside", a.cpu_ns},
                           {"external ", b.cpu_ns},
                           {"MiB of the scribe", b.scribe_mib},
                           {"lost", a.lost + b.lost}}});
    suite.bars.push_back({label + ": records/s through an external scribe / with one inside",
                          b.per_second / a.per_second, 0.9, b.per_second >= 0.9 * a.per_second});
  }
  Suite kills{"processes_killed", "kill -9 of the external scribe under load", "records", true, {}, {}};
  const Figures killed = runs.at_once(flags.smoke ? 2 : 16, true, records, flags.smoke ? 2 : 10);
  kills.rows.push_back({flags.smoke ? "2 processes, 2 kills" : "16 processes, 10 kills",
                        {{"logged", static_cast<double>(records)}, {"lost", killed.lost}}});
  kills.bars.push_back({"records lost when the external scribe is killed", killed.lost, 0, killed.lost == 0});
  Suite in_turn{"processes_in_turn",
                "Short processes, one after the other, and one external scribe",
                "see the columns",
                true,
                {},
                {}};
  runs.short_ones(flags.smoke ? 20 : 10'000, &in_turn);
  return finish(flags, {suite, kills, in_turn});
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  return steno::bench::run(argc, argv);
}
