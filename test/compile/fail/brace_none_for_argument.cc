// expect: steno: first argument: the format does not use it
// An argument and no replacement field at all.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("nothing", x);
#endif
}
