// Hears when a file has been written, and has it read again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/config_file.h"
#include "base/file_changes.h"
#include "steno/status.h"

namespace steno::api {

class FileWatch {
 public:
  // `stamp`: of what was read of the file last. `read` is called when it is another, by one thread at a time.
  FileWatch(std::string path, const FileStamp& stamp, std::function<void()> read);
  // Ends its thread.
  ~FileWatch();

  // Starts a thread that is notified of changes within milliseconds where the kernel reports them; others (network file
  // systems, targets of links) it finds by looking once a second. Without the thread, look() must be called now and
  // then.
  Status start();
  // Has the file read if it has changed; no more often than once a second.
  void look();
  // In a forked child, in which the thread is not: closes what the parent's thread listens by. The object is to be left
  // alone after that, and never destroyed.
  void abandon() { changes_.reset(); }

 private:
  void run();
  void hear(FileChanges::Heard heard);

  const std::string path_;
  const std::function<void()> read_file_;
  std::mutex look_mutex_;
  std::int64_t last_look_ = 0;
  FileStamp read_;  // of what was read last, though it may have been wrong
  FileStamp seen_;  // of the last look
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::unique_ptr<FileChanges> changes_;
  std::thread thread_;
};

}  // namespace steno::api
