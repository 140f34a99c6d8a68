// expect: steno: a format where the level should be
// lines, at most: 60
// A statement to a logger without the logger.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_LOG_TO(WARN, "{}", x);
#endif
}
