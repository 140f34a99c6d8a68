// expect: steno: an element of an argument: include <steno/std_types\.h>
// A map of paths, without the header of paths.
#include <steno/containers.h>
#include <steno/log.h>

#include <filesystem>
#include <map>

void statement(const std::map<int, std::filesystem::path>& x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
