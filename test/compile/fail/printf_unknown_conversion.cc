// expect: unknown conversion after '%'
// A conversion that does not exist.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%y", x);
#endif
}
