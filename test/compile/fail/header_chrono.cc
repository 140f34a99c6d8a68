// expect: steno: second argument: include <steno/chrono\.h>
// lines, at most: 40
// A duration, without its header.
#include <steno/log.h>

#include <chrono>

void statement(std::chrono::milliseconds x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{} {}", 1, x);
#endif
}
