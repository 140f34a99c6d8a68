// expect: steno: first argument: the conversion does not go with the argument's type
// A floating-point conversion of an integer.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%f", x);
#endif
}
