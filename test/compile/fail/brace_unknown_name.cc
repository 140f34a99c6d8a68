// expect: steno: second argument: the format wants it, and it is missing
// A width that names no field.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{qty:{nowhere}}", x);
#endif
}
