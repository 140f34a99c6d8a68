// expect: steno: first argument: no precision on integers, characters, bool and pointers
// Integers have no precision.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:.2}", x);
#endif
}
