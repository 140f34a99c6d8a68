// Statements below STENO_MIN_LEVEL leave no trace in the object.
// gone: stripped-brace stripped-printf stripped-logger stripped-argument
// kept: kept-warn kept-error
#define STENO_MIN_LEVEL 4
#include <steno/c.h>

void f(int i);
void f(int i) {
  STENO_INFO("stripped-brace {} {}", i, "stripped-argument");
  STENO_DEBUGF("stripped-printf %d", i);
  if (STENO_TRY_INFO("stripped-brace {}", i)) STENO_WARN("kept-warn {}", i);
  STENO_LOG_TO(steno_get_logger("stripped-argument"), NOTICE, "stripped-logger {}", i++);
  STENO_WARN("kept-warn {}", i);
  STENO_LOGF(ERROR, "kept-error %d", i);
}
