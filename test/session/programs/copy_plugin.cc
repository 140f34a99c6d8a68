// A library with a copy of steno of its own, as plugins that link it have; loaded by copies.cc.
#include <steno/log.h>
#include <steno/session.h>

#include "copy_plugin.h"

int copy_start(const char* path) {
  return steno::start(path) ? 1 : 0;
}

void copy_log(const char* copy, int number) {
  STENO_INFO("{copy} {number}", copy, number);
  if (number % 10 == 0) STENO_LOGF(WARN, "every tenth of %s: %d", copy, number);
}

void copy_stop() {
  steno::stop();
}
