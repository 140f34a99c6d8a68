// expect: steno: unmatched brace
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:}<5}", x);
#endif
}
