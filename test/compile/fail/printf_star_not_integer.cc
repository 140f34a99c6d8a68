// expect: steno: first argument: the argument that gives the width is not an integer that fits
// A width that is taken from an argument must be an int.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%*d", 1.5, x);
#endif
}
