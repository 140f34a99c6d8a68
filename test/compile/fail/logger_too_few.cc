// expect: steno: second argument: the format wants it, and it is missing
// Statements to a logger are checked as the others.
#include <steno/log.h>

void statement(steno::Logger& logger) {
  static_cast<void>(logger);
#ifndef STENO_CONTROL
  STENO_LOGF_TO(logger, INFO, "%d %d", 1);
#endif
}
