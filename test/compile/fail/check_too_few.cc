// expect: steno: third argument: the format wants it, and it is missing
// A check whose message lacks an argument: its condition is the first.
#include <steno/check.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_CHECK(x > 0, "{} {}", x);
#endif
}
