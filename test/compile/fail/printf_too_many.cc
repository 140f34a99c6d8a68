// expect: an argument is not used by the format
// An argument that no conversion prints.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%d", x, 2);
#endif
}
