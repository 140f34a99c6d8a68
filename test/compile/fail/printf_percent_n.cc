// expect: %n is not supported
// %n writes; a log only reads.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  int written = 0;
  STENO_INFOF("%d%n", x, &written);
#endif
}
