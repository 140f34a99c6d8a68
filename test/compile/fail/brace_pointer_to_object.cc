// expect: cast the pointer to const void
// A typed pointer: which is meant, the address or the value? Cast to void* for the address.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", &x);
#endif
}
