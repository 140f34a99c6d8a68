// Statements that STENO_MIN_LEVEL strips leave no trace in the object: no format, no argument, no call.
// gone: stripped-trace stripped-debug stripped-info stripped-printf stripped-logger evaluated_when_stripped
// kept: kept-notice kept-error evaluated_when_kept
#define STENO_MIN_LEVEL 3
#include <steno/log.h>

int evaluated_when_stripped();
int evaluated_when_kept();

void statements(int x, steno::Logger& logger) {
  STENO_TRACE("stripped-trace {}", evaluated_when_stripped());
  STENO_DEBUG("stripped-debug {}", x);
  STENO_INFO("stripped-info {}", x);
  STENO_INFOF("stripped-printf %d", evaluated_when_stripped());
  STENO_LOG_TO(logger, DEBUG, "stripped-logger {}", x);
  STENO_LOGF_TO(logger, DEBUG, "stripped-logger %d", x);
  if (!STENO_TRY_INFO("stripped-info {}", evaluated_when_stripped())) return;
  if (!STENO_TRY_LOGF_TO(logger, DEBUG, "stripped-logger %d", x)) return;
  STENO_NOTICE("kept-notice {}", x);
  STENO_ERRORF("kept-error %d", evaluated_when_kept());
}
