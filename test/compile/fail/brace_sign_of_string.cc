// expect: steno: first argument: sign, '#', '0' and 'L' need a number
// Strings have no sign.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:+}", "text");
#endif
}
