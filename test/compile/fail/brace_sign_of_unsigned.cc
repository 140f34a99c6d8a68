// expect: steno: first argument: a sign needs a signed argument
// Unsigned numbers have no sign.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:+}", 1u);
#endif
}
