// Looks at a session's configuration file, and puts into effect what can change while it runs.
#pragma once

#include <sys/stat.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/config_file.h"
#include "steno/session.h"

namespace steno::api {

class ConfigWatch {
 public:
  // Of complete options with a configuration file. With a scribe thread it has a thread of its own, else whoever calls
  // look() now and then.
  ConfigWatch(std::uint32_t slot, const Options& options);
  // Ends its thread.
  ~ConfigWatch();

  // Reads the file again if it has changed; no more often than once a second.
  void look();

 private:
  // By which a file that was written is another.
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t written = 0;
    bool operator==(const Stamp&) const = default;
  };

  void run();
  bool find_stamp(Stamp* stamp) const;
  void read();
  void take_levels(const ConfigFile& now);
  void warn_of_others(const ConfigFile& now);

  const std::uint32_t slot_;
  const Options options_;
  std::mutex look_mutex_;
  std::int64_t last_look_ = 0;
  Stamp read_;  // of what was read last
  Stamp seen_;  // of the last look
  ConfigFile file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace steno::api
