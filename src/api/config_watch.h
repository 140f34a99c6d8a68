// Looks at a session's configuration file, and puts into effect what can change while it runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/config_file.h"
#include "base/file_changes.h"
#include "steno/session.h"

namespace steno::api {

class ConfigWatch {
 public:
  // Of complete options with a configuration file; `file`: what it said when they were read. nullptr: it is read anew.
  // With a scribe thread it has a thread of its own, which hears of changes within milliseconds where it can, and looks
  // once a second for those that it does not hear of (a network's file system, what a link leads to elsewhere). Else
  // whoever calls look() now and then.
  ConfigWatch(std::uint32_t slot, const Options& options, const ConfigFile* file);
  // Ends its thread.
  ~ConfigWatch();

  // Reads the file again if it has changed; no more often than once a second.
  void look();
  // In a forked child, in which the thread is not: closes what the parent's thread listens by. The object is to be left
  // alone after that, and never destroyed.
  void abandon() { changes_.reset(); }

 private:
  void run();
  void hear(FileChanges::Heard heard);
  void read();
  void take_levels(const ConfigFile& now);
  void warn_of_others(const ConfigFile& now);

  const std::uint32_t slot_;
  const Options options_;
  std::mutex look_mutex_;
  std::int64_t last_look_ = 0;
  FileStamp read_;  // of what was read last, though it may have been wrong
  FileStamp seen_;  // of the last look
  ConfigFile file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::unique_ptr<FileChanges> changes_;
  std::thread thread_;
};

}  // namespace steno::api
