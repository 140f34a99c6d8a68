// expect: steno: second argument: the format wants it, and it is missing
// A statement that STENO_MIN_LEVEL strips is checked all the same.
#define STENO_MIN_LEVEL 5
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_DEBUG("{} {}", x);
#endif
}
