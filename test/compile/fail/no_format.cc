// expect: (steno: the format must be a string literal|expected)
// lines, at most: 75
// A statement without a format.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO();
#endif
}
