// A shared library that logs, with a copy of steno.
#include <steno/log.h>

void log_in_library(int records) {
  for (int i = 0; i < records; ++i) STENO_INFO("library {}", i);
}
