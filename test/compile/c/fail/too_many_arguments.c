// expect: steno_more_than_32_arguments
#include <steno/c.h>

void f(int i, const char* text, double d);
void f(int i, const char* text, double d) {
  (void)i;
  (void)text;
  (void)d;
#ifndef STENO_CONTROL
  STENO_INFO("{}", i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
#endif
}
