// expect: steno: a logger where the format should be: STENO_LOG_TO
// lines, at most: 30
// A logger before the format, in printf syntax, as an expression.
#include <steno/log.h>

#include <steno/logger.h>

void statement(steno::Logger x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  const bool done = STENO_TRY_INFOF(x, "text %d", 1);
  static_cast<void>(done);
#endif
}
