// expect: cannot be mixed
// Numbered and unnumbered conversions in one format.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%1$d %d", x, 2);
#endif
}
