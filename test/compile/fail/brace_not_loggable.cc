// expect: steno: first argument: its type cannot be logged; specialise steno::Loggable
// A type that nobody taught steno.
#include <steno/log.h>

struct Unknown {
  int member;
};

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", Unknown{});
#endif
}
