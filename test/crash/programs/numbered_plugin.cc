// Logs numbered messages by statements of its own; loaded and unloaded by forks.cc.
#include "numbered_log.h"

extern "C" __attribute__((visibility("default"))) void plugin_log_numbered(std::uint64_t thread, std::uint64_t number,
                                                                           steno::Logger net, steno::Logger store) {
  steno::crash::log_numbered(thread, number, net, store);
}
