#include "interrupted_call.h"

#include <steno/c.h>

bool c_log_in_call(int number, const char* text) {
  if (number % 3 == 0) return STENO_TRY_INFO("{} {}", number, text);
  if (number % 3 == 1) return STENO_TRY_LOGF(INFO, "%d %s", number, text);
  return STENO_TRY_NOTICEF("%d %.*s", number, 4, text);
}
