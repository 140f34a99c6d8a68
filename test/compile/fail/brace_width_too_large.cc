// expect: steno: first argument: width or precision above 4096
// A width that no log line can have.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:5000}", x);
#endif
}
