// expect: steno: second argument: include <steno/chrono\.h>
// lines, at most: 60
// A span with a duration, without its header.
#include <steno/log.h>

#include <steno/span.h>
#include <chrono>

void statement(std::chrono::seconds x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_SPAN("work {n} {took}", 1, x);
#endif
}
