// expect: steno: second argument: the format does not use it
// lines, at most: 60
// The end of a span has a duration of its own.
#include <steno/span.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_SPAN("waits {duration}", x);
#endif
}
