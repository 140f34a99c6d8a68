// raw_children LOG MODE: children that are made without fork handlers, while the parent and a thread of it log. Each
// logs 1000 messages and then, by MODE, "exit"s as it would otherwise, "call"s the API, or "start"s a session.
// Messages: "parent NUMBER", "thread NUMBER", "child PROCESS NUMBER".
#include <signal.h>
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/session.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr int kChildren = 4;
constexpr int kRecords = 1000;

pid_t make_child(int number) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  if (number % 2 == 1) return _Fork();
#else
  (void)number;
#endif
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

[[noreturn]] void be_child(const char* path, const char* mode, int number) {
  for (int i = 0; i < kRecords; ++i) STENO_INFO("child {} {} {}", number, i, "a string to fill the ring");
  if (std::strcmp(mode, "exit") == 0) std::exit(0);
  if (std::strcmp(mode, "call") == 0) {
    if (steno::flush().ok() || steno::set_levels("net=debug").ok()) _exit(10);
    STENO_LOG_TO(steno::logger("of child"), INFO, "child {} {}", number, "logger");
    STENO_LOGF(INFO, "child %d %s", number, "format");
    steno::stop();
    _exit(0);
  }
  if (!steno::start(path)) _exit(11);
  for (int i = 0; i < kRecords; ++i) STENO_INFO("started {} {}", number, i);
  if (!steno::flush().ok()) _exit(12);
  std::exit(0);
}

}  // namespace

int main(int, char** argv) {
  if (!steno::start(argv[1])) return 1;
  std::atomic<bool> stops{false};
  std::thread other([&stops] {
    for (int i = 0; i < 20'000 || !stops; ++i) {
      if (i < 20'000) STENO_INFO("thread {}", i);
    }
  });
  int said = 0;
  for (int number = 0; number < kChildren; ++number) {
    const pid_t child = make_child(number);
    if (child == 0) be_child(argv[1], argv[2], number);
    for (int i = 0; i < kRecords; ++i) STENO_INFO("parent {} {}", said++, "ANOTHER STRING TO FILL THE RING");
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 2;
  }
  stops = true;
  other.join();
  return 0;
}
