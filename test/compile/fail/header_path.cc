// expect: steno: first argument: include <steno/std_types\.h>
// lines, at most: 40
// A path, without its header.
#include <steno/log.h>

#include <filesystem>

void statement(const std::filesystem::path& x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
