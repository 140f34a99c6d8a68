// expect: expected .*(format|'\)'|';'|'\}')
// The format is a literal: what is known before main must not depend on values.
#include <steno/log.h>

void statement(const char* format) {
  static_cast<void>(format);
#ifndef STENO_CONTROL
  STENO_INFO(format, 1);
#endif
}
