// fork_handlers MODE: forks ten times while a thread logs and changes levels; the fork handlers of a library call what
// MODE says. Prints nothing. STENO_PATH is the log. Messages: "WHERE FORK NUMBER", "thread NUMBER".
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "early_handlers.h"

namespace {

constexpr int kForks = 10;
const char* mode = "";
int fork_number = 0;

bool is(const char* name) {
  return std::strcmp(mode, name) == 0;
}

void log_lines(const char* where, int lines) {
  for (int i = 0; i < lines; ++i) STENO_INFO("{} {} {}", where, fork_number, i);
}

void on_fork(const char* where) {
  const bool before = std::strcmp(where, "before") == 0;
  if (is("lines")) log_lines(where, 100);
  if (is("burst") && before) log_lines(where, 50'000);
  if (is("flush")) {
    log_lines(where, 1);
    if (!steno::flush().ok()) _exit(10);
  }
  if (is("logger")) {
    STENO_LOG_TO(steno::logger(std::string("of ") + where + std::to_string(fork_number)), INFO, "{} {} {}", where,
                 fork_number, 0);
  }
  if (is("levels")) {
    if (!steno::set_levels("net=debug").ok()) _exit(11);
    log_lines(where, 1);
  }
  if (is("formats"))
    steno::logf({steno::Level::kInfo, __FILE__, __LINE__, __func__}, (std::string(where) + " %d %d").c_str(),
                fork_number, 0);
  if (is("nested") && before) {
    early_handler_hook = nullptr;
    const pid_t child = fork();
    if (child == 0) {
      log_lines("nested", 10);
      std::exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) _exit(12);
    log_lines(where, 10);
    early_handler_hook = on_fork;
  }
}

}  // namespace

int main(int, char** argv) {
  mode = argv[1];
  STENO_INFO("begins");
  std::atomic<bool> stops{false};
  std::thread other([&stops] {
    for (int i = 0; i < 20'000 || !stops; ++i) {
      if (i < 20'000) STENO_INFO("thread {}", i);
      if (i % 100 != 0) continue;
      (void)steno::set_levels(i % 200 == 0 ? "other=trace" : "other=info");
      steno::logf({steno::Level::kDebug, __FILE__, __LINE__, __func__},
                  ("format " + std::to_string(i % 5000) + " %d").c_str(), i);
    }
  });
  early_handler_hook = on_fork;
  for (fork_number = 0; fork_number < kForks; ++fork_number) {
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 2;
  }
  early_handler_hook = nullptr;
  stops = true;
  other.join();
  return 0;
}
