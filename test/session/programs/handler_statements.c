// The statements in C of handler_allocations.cc.
#include <steno/c.h>

void log_in_c(const char* long_text);
void log_in_c(const char* long_text) {
  STENO_ERROR("{} and {}", 1, "text");
  STENO_ERRORF("%.*s", 3, "bounded");
  STENO_ERRORF("%d %s", 2, long_text);
}
