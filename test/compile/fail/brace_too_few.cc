// expect: steno: second argument: the format wants it, and it is missing
// A replacement field without an argument.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{} {}", x);
#endif
}
