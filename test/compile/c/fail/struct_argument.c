// expect: incompatible type
#include <steno/c.h>

void f(int i, const char* text, double d);
struct pair {
  int a, b;
} pair;
void f(int i, const char* text, double d) {
  (void)i;
  (void)text;
  (void)d;
#ifndef STENO_CONTROL
  STENO_INFO("{}", pair);
#endif
}
