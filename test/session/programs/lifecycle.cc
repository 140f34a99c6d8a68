// Logs at the edges of a process's life. Usage: lifecycle MODE FILE [PLUGIN]; lifecycle_test.cc says what must come of
// it.
#include <dlfcn.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/core.h"

namespace {

bool edges = false;

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
    steno::runtime::Core::at(0)->count_discarded();
    return 0;
  }
  if (is("exit-while-logging")) {
    for (int t = 0; t < 3; ++t) {
      std::thread([] {
        for (int i = 0;; ++i) STENO_INFO("running {}", i);
      }).detach();
    }
    usleep(20000);
    exit(0);
  }
  if (is("fork")) {
    STENO_INFO("parent before");
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
  if (is("plugin")) {
    for (int i = 0; i < 3; ++i) {
      if (const int error = run_plugin(argv[3], i); error != 0) return error;
    }
    STENO_INFO("host");
    return 0;
  }
  return 64;
}
