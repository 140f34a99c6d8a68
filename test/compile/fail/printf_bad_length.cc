// expect: length modifier does not go
// A length that the conversion does not take.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%hf", 1.5);
#endif
}
