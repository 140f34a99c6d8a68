// expect: steno: first argument: include <steno/net_types\.h>
// lines, at most: 40
// An address, without its header.
#include <steno/log.h>

#include <netinet/in.h>

void statement(const sockaddr_in& x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_INFO("{}", x);
#endif
}
