// expect: steno: second argument: there is no argument of that index
// A field number past the arguments.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{1}", x);
#endif
}
