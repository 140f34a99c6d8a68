// expect: steno: first argument: the conversion does not go with the argument's type
// An integer conversion of a std::string.
#include <steno/log.h>

#include <string>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%d", std::string("text"));
#endif
}
