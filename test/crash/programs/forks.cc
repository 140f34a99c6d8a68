// Processes that beget processes while they log. Usage: forks MODE FILE COUNTS_PREFIX PLUGIN; fork_test.cc says what
// must come of it. Each process is a run of its own, numbered from 1. Ends when all its descendants have.
#include <dlfcn.h>
#include <spawn.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "../../sanitizers.h"
#include "numbered_log.h"

extern char** environ;

namespace steno::crash {
namespace {

const char* program;
const char* mode;
std::string file;
std::string counts_prefix;
const char* plugin;

[[noreturn]] void fail(const char* what) {
  perror(what);
  _exit(99);
}

Speaker speaker(std::uint64_t run, unsigned thread = 0) {
  set_thread_name(thread_name(run, thread));
  Counts* counts = map_counts((counts_prefix + std::to_string(run)).c_str());
  if (counts == nullptr) fail("counts");
  return Speaker(thread, counts, logger("net.http", Level::kTrace), logger("store", Level::kTrace));
}

void speak(Speaker& speaker, int messages) {
  for (int i = 0; i < messages; ++i) speaker.speak();
}
void speak_as(std::uint64_t run, int messages) {
  Speaker one = speaker(run);
  speak(one, messages);
}

void begin() {
  if (!start({.path = file, .level = Level::kTrace, .ring_bytes = 16384})) _exit(3);
}

// A child that does `what` and exits, unless `what` ends it in another way.
pid_t child(const std::function<void()>& what) {
  fflush(nullptr);
  test::let_scribe_rest();
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    what();
    exit(0);
  }
  return pid;
}

void join(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) fail("waitpid");
  if (status != 0) {
    fprintf(stderr, "a child ended with wait status %x\n", static_cast<unsigned>(status));
    exit(98);
  }
}

void child_logs() {
  begin();
  join(child([] { speak_as(1, 500); }));
}

void parent_logs() {
  begin();
  Speaker parent = speaker(1);
  speak(parent, 300);
  join(child([] {}));
  speak(parent, 300);
}

void both_log() {
  begin();
  Speaker parent = speaker(1);
  speak(parent, 300);
  const pid_t pid = child([] { speak_as(2, 3000); });
  speak(parent, 3000);
  join(pid);
  speak(parent, 300);
}

void child_execs() {
  begin();
  Speaker parent = speaker(1);
  speak(parent, 100);
  const pid_t pid = child([] {
    speak_as(2, 100);  // nobody writes them before the staging is left behind
    execl(program, program, "speaks", file.c_str(), counts_prefix.c_str(), plugin, nullptr);
    fail("exec");
  });
  speak(parent, 100);
  join(pid);
  speak(parent, 100);
}

// Runs in the program that child_execs() executes.
void speaks() {
  begin();
  speak_as(3, 300);
}

void child_exits_at_once() {
  begin();
  Speaker parent = speaker(1);
  speak(parent, 100);
  join(child([] { _exit(0); }));
  join(child([] {
    speak_as(2, 200);
    _exit(0);
  }));
  join(child([] { quick_exit(0); }));
  const pid_t killed = child([] {
    speak_as(3, 200);
    raise(SIGKILL);
  });
  waitpid(killed, nullptr, 0);
  speak(parent, 100);
}

void daemonizes() {
  begin();
  Speaker parent = speaker(1);
  speak(parent, 100);
  join(child([] {
    setsid();
    child([] {
      usleep(20000);  // its parent and grandparent are gone
      speak_as(2, 2000);
    });
    _exit(0);
  }));
}

void forks_while_threads_log() {
  begin();
  static bool end = false;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      Speaker one = speaker(1, t);
      while (!__atomic_load_n(&end, __ATOMIC_RELAXED)) {
        speak(one, 20);
        usleep(20);
      }
    });
  }
  std::vector<pid_t> children;
  for (std::uint64_t run = 2; run < 26; ++run) {
    children.push_back(child([run] { speak_as(run, 200); }));
    usleep(500);
  }
  for (const pid_t pid : children) join(pid);
  __atomic_store_n(&end, true, __ATOMIC_RELAXED);
  for (std::thread& thread : threads) thread.join();
}

// Forks before start(), while records wait for it: each child is a session of its own.
void forks_before_start() {
  set_level(Level::kTrace);
  Speaker parent = speaker(1);
  speak(parent, 100);
  std::vector<pid_t> children;
  for (std::uint64_t run = 2; run < 6; ++run) {
    children.push_back(child([run] {
      begin();
      speak_as(run, 1000);
    }));
  }
  begin();
  speak(parent, 500);
  for (const pid_t pid : children) join(pid);
}

void descends(std::uint64_t run) {
  Speaker one = speaker(run);
  speak(one, 100);
  if (run == 6) return;
  join(child([run] { descends(run + 1); }));
  speak(one, 100);
}
void generations() {
  begin();
  descends(1);
}

pid_t vfork_true() {
  const pid_t pid = vfork();
  if (pid == 0) {
    execl("/bin/true", "/bin/true", nullptr);
    _exit(97);
  }
  return pid;
}

void spawns() {
  begin();
  static bool end = false;
  std::thread other([] {
    Speaker one = speaker(1, 1);
    while (!__atomic_load_n(&end, __ATOMIC_RELAXED)) one.speak();
  });
  Speaker parent = speaker(1);
  for (int i = 0; i < 20; ++i) {
    speak(parent, 50);
    join(vfork_true());
    speak(parent, 50);
    char name[] = "/bin/true";
    char* const arguments[] = {name, nullptr};
    pid_t spawned = 0;
    if (posix_spawn(&spawned, name, nullptr, nullptr, arguments, environ) != 0) fail("posix_spawn");
    join(spawned);
  }
  __atomic_store_n(&end, true, __ATOMIC_RELAXED);
  other.join();
}

// A library whose statements are gone again when their records are read; then the process dies.
void plugin_comes_and_goes() {
  begin();
  set_thread_name(thread_name(1, 0));
  Counts* counts = map_counts((counts_prefix + "1").c_str());
  if (counts == nullptr) fail("counts");
  const Logger net = logger("net.http", Level::kTrace);
  const Logger store = logger("store", Level::kTrace);
  std::uint64_t number = 0;
  for (int i = 0; i < 5; ++i) {
    void* library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(dlerror());
    const auto log =
        reinterpret_cast<void (*)(std::uint64_t, std::uint64_t, Logger, Logger)>(dlsym(library, "plugin_log_numbered"));
    for (int n = 0; n < 100; ++n) {
      log(0, number, net, store);
      __atomic_store_n(&counts->threads[0].done, ++number, __ATOMIC_RELEASE);
    }
    if (dlclose(library) != 0 || dlopen(plugin, RTLD_NOW | RTLD_NOLOAD) != nullptr) fail("dlclose");
  }
  _exit(0);
}

int run() {
  const std::map<std::string, void (*)()> modes = {
      {"child", child_logs},
      {"parent", parent_logs},
      {"both", both_log},
      {"exec", child_execs},
      {"speaks", speaks},
      {"exit-at-once", child_exits_at_once},
      {"daemon", daemonizes},
      {"threads", forks_while_threads_log},
      {"before-start", forks_before_start},
      {"generations", generations},
      {"spawn", spawns},
      {"plugin", plugin_comes_and_goes},
  };
  const auto found = modes.find(mode);
  if (found == modes.end()) return 64;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t pid = child(found->second);
  int result = 0;
  int status = 0;
  for (pid_t ended = 0; (ended = wait(&status)) > 0;) {
    if (ended == pid) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return result;
}

}  // namespace
}  // namespace steno::crash

int main(int argc, char** argv) {
  if (argc != 5) return 64;
  using namespace steno::crash;
  program = argv[0];
  mode = argv[1];
  file = argv[2];
  counts_prefix = argv[3];
  plugin = argv[4];
  return run();
}
