// expect: steno: second argument: the format does not use it
// An argument that no replacement field prints.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x, 2);
#endif
}
