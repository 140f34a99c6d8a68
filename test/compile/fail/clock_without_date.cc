// expect: steno: first argument: a time of this clock is no date
// lines, at most: 40
// A time of the steady clock.
#include <steno/log.h>

#include <chrono>

void statement(std::chrono::steady_clock::time_point x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
