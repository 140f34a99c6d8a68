// expect: the format has more fields than there are arguments
// A width that names no field.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{qty:{nowhere}}", x);
#endif
}
