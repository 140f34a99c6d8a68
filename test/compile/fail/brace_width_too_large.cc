// expect: width or precision above
// A width that no log line can have.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:2000000}", x);
#endif
}
