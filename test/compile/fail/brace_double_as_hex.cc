// expect: steno: first argument: the presentation letter does not go with the argument's type
// An integer presentation of a double.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:x}", 2.5);
#endif
}
