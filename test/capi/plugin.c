// A plugin that logs, in C. Steno is the program's.
#include <steno/c.h>

STENO_EXPORT void plugin_log(int i);
void plugin_log(int i) {
  STENO_INFO("plugin {i}", i);
  STENO_INFOF("plugin %.*s", 5, "bounded");
}
