// The log behind the page: opened once, and again where it has grown.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reader/log_set.h"
#include "web/web.h"

namespace steno::cli::web {

// Files as they were at one moment. Immutable; thread-safe.
class OpenLog {
 public:
  // Files that cannot be read are problems(). They are also reported, and raise `code`, if there is one. Throws
  // CLI::ValidationError: a --shift makes no sense.
  OpenLog(const WebOptions& options, ExitCode* code);

  const reader::LogSet& logs() const { return logs_; }
  reader::Secrets secrets() const { return secrets_; }
  const std::vector<std::string>& names() const { return names_; }    // of files, as the command was given them
  const std::vector<std::string>& shifts() const { return shifts_; }  // that apply, as --shift has them
  std::uint64_t records() const { return records_; }
  // Files of which nothing, or not all, could be read, each in one sentence.
  const std::vector<std::string>& problems() const { return problems_; }
  // False: a file became shorter while it was read, so that answers may be wrong.
  bool is_whole() const;
  // Returns whether a process goes on with the log.
  bool is_running() const { return running_; }

 private:
  reader::LogSet logs_;
  reader::Secrets secrets_;
  std::vector<std::string> names_;
  std::vector<std::string> shifts_;
  std::vector<std::string> problems_;
  std::uint64_t lost_pages_;  // when it was opened
  std::uint64_t records_ = 0;
  bool running_ = false;
};

// Opens files without a word; `problems`: as of OpenLog.
void open_silently(const std::vector<std::string>& files, reader::LogSet* logs, std::vector<std::string>* problems);

// Thread-safe.
class Log {
 public:
  explicit Log(const WebOptions& options) : options_(options) {}
  // False: no file can be read.
  bool open(ExitCode* code);
  // The log that is open now; holding it keeps it.
  std::shared_ptr<const OpenLog> now() const;
  // Opens it again if its files have changed, or one of their processes has died. At most every 200 ms, whoever asks.
  // Files that are gone, or are no logs any more, are problems() then, even if that is all of them.
  std::shared_ptr<const OpenLog> refreshed();

 private:
  std::string mark() const;  // differs once something was written
  std::string mark_of_processes() const;

  WebOptions options_;  // once it is open, with the shifts that were applied then
  mutable std::mutex mutex_;
  std::mutex refresh_mutex_;
  std::shared_ptr<const OpenLog> open_;
  std::string mark_;
  std::int64_t looked_ = 0;
};

}  // namespace steno::cli::web
