// expect: the format has more fields than there are arguments
// A replacement field without an argument.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{} {}", x);
#endif
}
