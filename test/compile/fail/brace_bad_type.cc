// expect: steno: first argument: the presentation letter does not go with the argument's type
// A presentation type that does not exist.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:q}", x);
#endif
}
