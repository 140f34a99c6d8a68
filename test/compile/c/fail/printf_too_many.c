// expect: too many arguments for format|data argument not used by format string
#include <steno/c.h>

void f(int i, const char* text, double d);
void f(int i, const char* text, double d) {
  (void)i;
  (void)text;
  (void)d;
#ifndef STENO_CONTROL
  STENO_INFOF("%d", i, d);
#endif
}
