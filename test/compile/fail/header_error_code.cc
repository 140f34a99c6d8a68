// expect: steno: first argument: include <steno/std_types\.h>
// lines, at most: 50
// An error code, without its header, in printf syntax.
#include <steno/log.h>

#include <system_error>

void statement(std::error_code x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFOF("%s", x);
#endif
}
