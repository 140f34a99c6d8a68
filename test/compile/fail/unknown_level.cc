// expect: steno: no such level: TRACE, DEBUG
// lines, at most: 35
// A level that does not exist.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_LOG(VERBOSE, "{}", x);
#endif
}
