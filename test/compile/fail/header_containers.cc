// expect: steno: first argument: include <steno/containers\.h>
// lines, at most: 40
// A vector, without its header.
#include <steno/log.h>

#include <vector>

void statement(const std::vector<int>& x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
