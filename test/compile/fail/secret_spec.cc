// expect: steno: second argument: the field of a secret takes fill, alignment and width only
// A text stands for the number.
#include <steno/log.h>
#include <steno/secret.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{} {:04d}", x, steno::secret(x));
#endif
}
