// expect: format .%d. expects|format specifies type .int.
#define STENO_MIN_LEVEL 1
#include <steno/c.h>

void f(int i, const char* text, double d);
void f(int i, const char* text, double d) {
  (void)i;
  (void)text;
  (void)d;
#ifndef STENO_CONTROL
  STENO_TRACEF("%d", d);
#endif
}
