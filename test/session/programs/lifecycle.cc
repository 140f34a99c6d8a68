// Logs at the edges of a process's life. Usage: lifecycle MODE FILE [PLUGIN]; lifecycle_test.cc says what must come of
// it.
#include <dlfcn.h>
#include <pthread.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "../../sanitizers.h"
#include "runtime/core.h"

namespace {

bool edges = false;
bool logs_in_child_handler = false;

// Registered before anything was logged, and before the constructor of static_object logs.
void in_child() {
  if (logs_in_child_handler) STENO_INFO("child handler");
}
__attribute__((constructor(200))) void register_handler() {
  pthread_atfork(nullptr, nullptr, in_child);
}

struct Static {
  Static() { STENO_INFO("static constructor"); }
  ~Static() {
    if (edges) STENO_INFO("static destructor");
  }
} static_object;

struct ThreadLocal {
  int number = 0;
  ~ThreadLocal() {
    if (edges) STENO_INFO("thread_local destructor {}", number);
  }
};
thread_local ThreadLocal thread_object;

int join(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child ? status : 1;
}

// A session of its own, forked: its loggers, old and new, its flush() and its stop() work in the child.
int fork_session(const char* path, bool child_stops) {
  auto session = steno::Session::open({.path = path});
  if (!session.ok()) return 3;
  const steno::Logger plain = session->logger("");
  const steno::Logger named = session->logger("named");
  STENO_LOG_TO(plain, INFO, "parent before");
  steno::test::let_scribe_rest();
  const pid_t child = fork();
  if (child == 0) {
    if (!session->flush().ok()) _exit(4);  // nothing yet, at once
    const steno::Logger later = session->logger("made in the child");
    STENO_LOG_TO(later, INFO, "child later");
    STENO_LOG_TO(named, INFO, "child named");
    std::thread([&] { STENO_LOG_TO(plain, INFO, "child thread"); }).join();
    if (!session->flush().ok() || session->stats().records != 3) _exit(5);
    if (!child_stops) exit(0);
    if (!session->stop().ok()) _exit(6);
    STENO_LOG_TO(named, INFO, "refused");
    exit(0);
  }
  if (const int status = join(child); status != 0) return WEXITSTATUS(status);
  STENO_LOG_TO(named, INFO, "parent after");
  return 0;
}

// The usual way: start, then daemon(), whose parent calls _exit.
int daemonize(const char* path) {
  auto session = steno::Session::open({.path = path});
  if (!session.ok()) return 3;
  const steno::Logger logger = session->logger("server");
  STENO_LOG_TO(logger, INFO, "parent before");
  steno::test::let_scribe_rest();
  if (daemon(1, 1) != 0) return 4;
  STENO_LOG_TO(logger, INFO, "daemon");
  return session->flush().ok() ? 0 : 5;
}

// Loggers that a child inherits are what they were, whichever it makes first.
int fork_loggers() {
  const steno::Logger a = steno::logger("a");
  const steno::Logger b = steno::logger("b", steno::Level::kDebug);
  steno::set_level(steno::Level::kTrace);
  STENO_LOG_TO(a, INFO, "parent a");
  steno::test::let_scribe_rest();
  const pid_t child = fork();
  if (child == 0) {
    const steno::Logger c = steno::logger("c");
    STENO_LOG_TO(c, INFO, "child c");
    STENO_LOG_TO(b, DEBUG, "child b");
    STENO_LOG_TO(a, INFO, "child a");
    STENO_TRACE("child trace");
    exit(0);
  }
  return join(child);
}

// A process that logs into the same file, started anew if `path` is given, and is killed.
void leave_orphan(const char* path) {
  steno::test::let_scribe_rest();
  const pid_t child = fork();
  if (child == 0) {
    if (path != nullptr && !steno::start(path)) _exit(1);
    STENO_INFO("orphan");
    raise(SIGKILL);
  }
  (void)join(child);
}

int run_plugin(const char* path, int value) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  reinterpret_cast<void (*)(int)>(dlsym(library, "plugin_log"))(value);
  if (dlclose(library) != 0) return 1;
  // Gone, not pinned by a unique symbol.
  return dlopen(path, RTLD_NOW | RTLD_NOLOAD) == nullptr ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  const char* mode = argv[1];
  const auto is = [mode](const char* name) { return strcmp(mode, name) == 0; };
  if (is("nothing")) return 0;
  if (is("no-start")) {
    for (int i = 0; i < 6; ++i) STENO_INFO("lost {}", i);
    return 0;
  }
  if (is("environment")) {
    STENO_INFO("by STENO_PATH");
    STENO_DEBUG("by STENO_LEVEL");
    return 0;
  }
  if (is("killed")) {
    STENO_INFO("last words");
    raise(SIGKILL);
  }
  if (is("levels")) {
    if (!steno::start({.path = argv[2], .level = steno::Level::kNotice})) return 3;
    STENO_TRACE("TRACE");
    STENO_DEBUG("DEBUG");
    STENO_INFO("INFO");
    STENO_NOTICE("NOTICE");
    STENO_WARN("WARN");
    STENO_ERROR("ERROR");
    STENO_CRITICAL("CRITICAL");
    return 0;
  }
  if (is("fork-session")) return fork_session(argv[2], false);
  if (is("fork-session-stop")) return fork_session(argv[2], true);
  if (is("syslog")) {  // ADDRESS CA_FILE; ends without stop()
    steno::Options options;
    options.sinks.resize(1);
    options.sinks[0].syslog.address = argv[2];
    options.sinks[0].syslog.tls.ca_file = argv[3];
    if (!steno::start(options)) return 3;
    STENO_INFO("main begins");
    (void)steno::flush();
    STENO_INFO("main returns");
    return 0;
  }
  if (is("daemon")) return daemonize(argv[2]);
  if (!steno::start({.path = argv[2]})) return 3;
  if (is("edges")) {
    edges = true;
    thread_object.number = 1;
    std::thread([] {
      thread_object.number = 2;
      STENO_INFO("thread");
    }).join();
    STENO_INFO("main returns");
    return 0;
  }
  if (is("after-stop")) {
    STENO_INFO("on file");
    steno::stop();
    STENO_INFO("too late");
    return 0;
  }
  if (is("discard-after-stop")) {
    steno::stop();
    steno::runtime::core_at(0)->discards().add();
    return 0;
  }
  if (is("exit-while-logging")) {
    for (int t = 0; t < 3; ++t) {
      std::thread([] {
        for (int i = 0;; ++i) {
          STENO_INFO("running {}", i);
          if (i % 128 == 127) usleep(100);  // or the test reads millions
        }
      }).detach();
    }
    usleep(20000);
    exit(0);
  }
  if (is("exit-while-threads-come")) {
    std::thread([] {
      for (int i = 0;; ++i) {
        std::thread([i] { STENO_INFO("thread {}", i); }).join();
      }
    }).detach();
    usleep(20000);
    exit(0);
  }
  if (is("fork")) {
    STENO_INFO("parent before");
    steno::test::let_scribe_rest();
    const pid_t child = fork();
    if (child == 0) {
      STENO_INFO("child");
      exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    STENO_INFO("parent after");
    return status;
  }
  if (is("fork-loggers")) return fork_loggers();
  if (is("child-handler")) {
    logs_in_child_handler = true;
    STENO_INFO("parent before");
    steno::test::let_scribe_rest();
    const pid_t child = fork();
    if (child == 0) exit(0);
    logs_in_child_handler = false;
    const int status = join(child);
    STENO_INFO("parent after");
    return status;
  }
  if (is("stop-in-child")) {
    steno::test::let_scribe_rest();
    const pid_t child = fork();
    if (child == 0) {
      if (!steno::flush().ok()) _exit(4);
      steno::stop();
      STENO_INFO("stopped");
      exit(0);
    }
    return join(child);
  }
  if (is("orphan-at-exit")) {
    steno::stop();
    leave_orphan(argv[2]);
    STENO_INFO("too late");
    return 0;
  }
  if (is("orphan-at-first")) {
    leave_orphan(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      STENO_INFO("child");
      exit(0);
    }
    return join(child);
  }
  if (is("plugin")) {
    for (int i = 0; i < 3; ++i) {
      if (const int error = run_plugin(argv[3], i); error != 0) return error;
    }
    STENO_INFO("host");
    return 0;
  }
  return 64;
}
