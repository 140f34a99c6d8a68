// expect: steno: a logger where the format should be: STENO_LOG_TO
// lines, at most: 30
// A logger before the format.
#include <steno/log.h>

#include <steno/logger.h>

void statement(steno::Logger x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO(x, "text {}", 1);
#endif
}
