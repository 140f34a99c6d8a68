// expect: steno: second argument: the format does not use it
// An argument that no conversion prints.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%d", x, 2);
#endif
}
