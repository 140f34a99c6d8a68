// expect: steno: first argument: sign, '#', '0' and 'L' need a number
// `true` has no leading zeros; 1 has: {:08d}.
#include <steno/log.h>

void statement(bool x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{:08}", x);
#endif
}
