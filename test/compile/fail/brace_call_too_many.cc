// expect: steno: a message has at most 64 arguments
// A message of a logger whose format is not checked before run time.
#include <steno/spdlog.h>

#define STENO_8 1, 2, 3, 4, 5, 6, 7, 8
#define STENO_64 STENO_8, STENO_8, STENO_8, STENO_8, STENO_8, STENO_8, STENO_8, STENO_8

void statement() {
#ifdef STENO_CONTROL
  spdlog::info("{}", STENO_64);
#else
  spdlog::info("{}", STENO_64, 65);
#endif
}
