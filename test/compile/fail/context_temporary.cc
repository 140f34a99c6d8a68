// expect: deleted
// The scope needs the names and values of what it sets until it ends.
#include <steno/context.h>
#include <steno/log.h>

void statement() {
#ifndef STENO_CONTROL
  const steno::ScopedContext context{steno::Context::capture()};
#endif
}
