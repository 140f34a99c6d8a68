// expect: unmatched brace
// A replacement field that is not closed.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("open {", x);
#endif
}
