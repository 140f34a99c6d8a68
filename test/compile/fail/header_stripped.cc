// expect: steno: first argument: include <steno/chrono\.h>
// lines, at most: 45
// A duration in a statement that is stripped.
#define STENO_MIN_LEVEL 7
#include <steno/log.h>

#include <chrono>

void statement(std::chrono::seconds x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
