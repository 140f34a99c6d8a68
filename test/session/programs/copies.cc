// copies LOG "stop"|"exit"|"late" PLUGIN...: loads each plugin for itself; all of them log into one file at the same
// time, from two threads, and are stopped in turn while the others go on, or end with the process. "late": those after
// the first are loaded when it has started, and for all to use. A fork in between ends, and its child logs once by
// each.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "../../sanitizers.h"
#include "copy_plugin.h"

namespace {

constexpr int kRecords = 1000;  // of each thread and copy

struct Copy {
  std::string name;
  decltype(&copy_start) start;
  decltype(&copy_log) log;
  decltype(&copy_stop) stop;
};

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

void log_all(const std::vector<Copy>& copies, int first) {
  for (int i = first; i < first + kRecords; ++i) {
    for (const Copy& copy : copies) copy.log(copy.name.c_str(), i);
  }
}

// Sanitizers hang in the child of a process with threads, or start none there.
int fork_once(const std::vector<Copy>& copies) {
  if (steno::test::kThreadSanitizer || steno::test::kAddressSanitizer) return 0;
  const pid_t child = fork();
  if (child == 0) {
    for (const Copy& copy : copies) copy.log(("child of " + copy.name).c_str(), 1);
    std::exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child ? status : -1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argv[1];
  const bool stops = argv[2] != std::string("exit");
  const bool late = argv[2] == std::string("late");
  std::vector<Copy> copies;
  for (int i = 3; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_LAZY | (late && i > 3 ? RTLD_GLOBAL : RTLD_LOCAL));
    Copy copy{std::string(1, static_cast<char>('a' + i - 3)), nullptr, nullptr, nullptr};
    if (library == nullptr || !find(library, "copy_start", &copy.start) || !find(library, "copy_log", &copy.log) ||
        !find(library, "copy_stop", &copy.stop)) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    copies.push_back(copy);
    if (late && copy.start(path.c_str()) == 0) return 3;
  }
  for (const Copy& copy : copies) {
    if (!late && copy.start(path.c_str()) == 0) return 3;
  }
  std::thread other([&copies] { log_all(copies, kRecords); });
  log_all(copies, 0);
  other.join();
  if (fork_once(copies) != 0) return 4;
  while (stops && !copies.empty()) {
    copies.back().stop();
    copies.pop_back();
    for (const Copy& copy : copies) copy.log(copy.name.c_str(), 2 * kRecords);
  }
  return 0;
}
