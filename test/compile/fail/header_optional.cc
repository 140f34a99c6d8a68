// expect: steno: third argument: include <steno/containers\.h>
// lines, at most: 40
// An optional, without its header.
#include <steno/log.h>

#include <optional>

void statement(std::optional<double> x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{} {} {}", 1, 2, x);
#endif
}
