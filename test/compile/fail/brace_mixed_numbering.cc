// expect: cannot be mixed
// Numbered and unnumbered fields in one format.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{} {0}", x);
#endif
}
