// expect: steno: the format must be a string literal
// lines, at most: 25
// The format is a literal: what is known before main must not depend on values.
#include <steno/log.h>

void statement(const char* format) {
  static_cast<void>(format);
#ifndef STENO_CONTROL
  STENO_INFO(format, 1);
#endif
}
