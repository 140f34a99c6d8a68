// expect: specialise steno::Loggable
// A struct through a printf conversion.
#include <steno/log.h>

struct Unknown {
  int member;
};

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%d", Unknown{});
#endif
}
