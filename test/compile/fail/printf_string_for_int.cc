// expect: steno: first argument: the conversion does not go with the argument's type
// An integer conversion of a string.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%d", "text");
#endif
}
