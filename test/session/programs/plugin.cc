// A library that logs, loaded and unloaded by lifecycle.cc.
#include <steno/log.h>

inline void log_inline(int value) {
  STENO_LOGF(WARN, "inline in plugin %d", value);
}

extern "C" void plugin_log(int value) {
  STENO_INFO("plugin {}", value);
  log_inline(value);
}
