// expect: steno: first argument: the presentation letter does not go with the argument's type
#include <steno/log.h>

void statement(bool x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:c}", x);
#endif
}
