// expect: malformed field
// A format that ends inside a conversion.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("all of it: 100%");
#endif
}
