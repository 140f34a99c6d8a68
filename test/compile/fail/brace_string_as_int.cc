// expect: presentation letter does not go with
// An integer presentation of a string.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:d}", "text");
#endif
}
