// expect: format .%s. expects a matching|more .%. conversions than data arguments
#include <steno/c.h>

void f(int i, const char* text, double d);
void f(int i, const char* text, double d) {
  (void)i;
  (void)text;
  (void)d;
#ifndef STENO_CONTROL
  STENO_INFOF("%d %s", i);
#endif
}
