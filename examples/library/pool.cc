#include "pool.h"

#include <steno/log.h>
#include <steno/session.h>

namespace {

// Of the program's session, whenever that starts; by its name the program chooses what it hears of this library.
steno::Logger pool_log() {
  static const steno::Logger logger = steno::logger("pool");
  return logger;
}

}  // namespace

int Pool::acquire(const std::string& host) {
  if (taken_.size() == most_) {
    STENO_LOG_TO(pool_log(), WARN, "no connection to {host}: all {most} are taken", host, most_);
    return -1;
  }
  taken_.push_back(host);
  STENO_LOG_TO(pool_log(), DEBUG, "connection {connection} to {host}", taken_.size() - 1, host);
  return static_cast<int>(taken_.size()) - 1;
}

void Pool::release(int connection) {
  STENO_LOG_TO(pool_log(), DEBUG, "connection {connection} is free", connection);
  taken_.pop_back();
}
