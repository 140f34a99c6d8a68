// Looks at a session's configuration file, and puts into effect what can change while it runs.
#pragma once

#include <cstdint>
#include <memory>

#include "api/config_file.h"
#include "api/file_watch.h"
#include "steno/session.h"

namespace steno::api {

class ConfigWatch {
 public:
  // Needs complete options with a configuration file. `file`: its settings when they were read; nullptr: it is read
  // again. `level_without`: the session's level where the file asks for none. With a scribe thread it runs in its own
  // thread; otherwise look() must be called now and then.
  ConfigWatch(std::uint32_t slot, const Options& options, const ConfigFile* file, Level level_without);

  // Reads the file again if it has changed; no more often than once a second.
  void look() { watch_->look(); }
  // In a forked child: as FileWatch::abandon().
  void abandon() { watch_->abandon(); }

 private:
  void read();
  void take_levels(const ConfigFile& now);
  void warn_of_others(const ConfigFile& now);

  const std::uint32_t slot_;
  const Options options_;
  const Level level_without_;
  ConfigFile file_;
  std::unique_ptr<FileWatch> watch_;  // the last: its thread uses the others
};

}  // namespace steno::api
