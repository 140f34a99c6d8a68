// A program that loads a library which logs.
#include <dlfcn.h>
#include <steno/log.h>
#include <steno/session.h>

#include <cstdio>

int main(int, char** argv) {
  constexpr int kRecords = 100'000;
  if (!steno::start(argv[1])) return 1;
  void* const plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void* const function = plugin != nullptr ? dlsym(plugin, "_Z14log_in_libraryi") : nullptr;
  if (function == nullptr) {
    std::puts(dlerror());
    return 1;
  }
  STENO_INFO("program");
  reinterpret_cast<void (*)(int)>(function)(kRecords - 1);
  return 0;
}
