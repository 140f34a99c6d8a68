// Measures the start of a program with many statements, from before it is spawned to its first record and to its end,
// beside the same program with one statement.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/harness.h"

extern char** environ;

namespace steno::bench {
namespace {

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

// Each ascending, ms from before the program is spawned.
struct Times {
  std::vector<double> main;
  std::vector<double> session;
  std::vector<double> first_call;
  std::vector<double> end;
};

void start_once(const char* program, const std::string& log, Times* times) {
  (void)unlink(log.c_str());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("bench/startup: pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string arguments[] = {program, log};
  char* argv[] = {arguments[0].data(), arguments[1].data(), nullptr};
  pid_t child = 0;
  const double begin = seconds_now();
  if (posix_spawn(&child, program, &actions, nullptr, argv, environ) != 0) fail(program);
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0) fail(program);
  const double end = seconds_now();
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[128] = {};
  if (read(ends[0], text, sizeof text - 1) <= 0) fail(program);
  close(ends[0]);
  char* at = text;
  for (std::vector<double>* const one : {&times->main, &times->session, &times->first_call})
    one->push_back((static_cast<double>(std::strtoll(at, &at, 10)) / 1e9 - begin) * 1e3);
  times->end.push_back((end - begin) * 1e3);
}

Suite startup(const Flags& flags) {
  constexpr double kBar = 5;  // ms
  const std::string many = std::to_string(STENO_STATEMENTS / 1000) + ",000 statements";
  Suite suite{"startup", "From the start of a program, by its statements", "ms", true, {}, {}};
  Times of_one;
  Times of_many;
  for (int i = 0; i < (flags.smoke ? 1 : 100); ++i) {  // in turn, so that a drift of the machine meets both
    start_once(STENO_STARTUP_ONE, flags.directory + "/one.steno", &of_one);
    start_once(STENO_STARTUP_MANY, flags.directory + "/many.steno", &of_many);
  }
  const auto add = [&](const std::string& label, Times times) {
    Row row{label, {}};
    const auto put = [&row](const char* what, std::vector<double>* ms, bool whole) {
      std::sort(ms->begin(), ms->end());
      row.values.emplace_back(std::string(what) + ", p50", percentile(*ms, 0.5));
      if (!whole) return;
      row.values.emplace_back("least", ms->front());
      row.values.emplace_back("p90", percentile(*ms, 0.9));
      row.values.emplace_back("max", ms->back());
    };
    put("to main()", &times.main, false);
    put("to a session", &times.session, false);
    put("to the first record", &times.first_call, true);
    put("to the end", &times.end, false);
    suite.rows.push_back(row);
    return percentile(times.first_call, 0.5);
  };
  add("1 statement", of_one);
  const double ms = add(many, of_many);
  suite.bars.push_back({"start-up with " + many + ", ms to the first record", ms, kBar, ms < kBar});
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {startup(flags)});
}
