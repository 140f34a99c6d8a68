// expect: steno: a context keeps no secrets: log them in statements
// The log could not say that the value is one.
#include <steno/context.h>
#include <steno/log.h>
#include <steno/secret.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  const steno::ScopedContext context("pin", steno::secret(x));
#endif
}
