// expect: steno: a printf statement keeps no secrets: write the statement with a brace format
// The log could not say that the value is one.
#include <steno/log.h>
#include <steno/secret.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%s", steno::secret(x));
#endif
}
