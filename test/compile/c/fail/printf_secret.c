// expect: steno_printf_takes_no_secrets
#include <steno/c.h>

void f(int i, const char* text, double d);
void f(int i, const char* text, double d) {
  (void)i;
  (void)text;
  (void)d;
#ifndef STENO_CONTROL
  STENO_INFOF("%s", steno_secret(text));
#endif
}
