// expect: steno: first argument: the conversion does not go with the argument's type
// An int conversion of a long: what glibc would cut.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%d", 1L << 40);
#endif
}
