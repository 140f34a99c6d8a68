// expect: steno: first argument: include <steno/containers\.h>
// lines, at most: 40
// An array, without its header.
#include <steno/log.h>

#include <cstddef>

void statement(const int (&x)[3]) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
