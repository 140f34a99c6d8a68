// expect: unmatched brace
// A closing brace alone.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("stray } {}", x);
#endif
}
