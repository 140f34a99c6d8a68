// expect: steno: first argument: the presentation letter does not go with the argument's type
// Older versions took the zero as a fill, if there was an alignment.
#include <steno/log.h>

void statement(char x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:<08}", x);
#endif
}
