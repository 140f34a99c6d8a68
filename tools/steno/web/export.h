// /api/export: what a question selects, as a file. Lines are made while they are sent, so that their size does not
// matter. A log is made before that, in a file without a name: its sessions begin with what only their end tells.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "lines/line_format.h"
#include "logfile/output_file.h"
#include "web/asked.h"

namespace steno::cli::web {

// Lines are made by a thread of its own. Not thread-safe.
class Export {
 public:
  // Params are copied; `meter` must outlive it. A log is whole once this returns. Throws Refused: there is no such
  // format, or the log cannot be made; WorkStopped: the meter was stopped before that.
  Export(std::shared_ptr<const OpenLog> log, const Params& params, WorkMeter* meter);
  // Stops the meter, and throws away bytes that nobody has read.
  ~Export();
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  // Reads the next bytes, at most `size`, and returns how many. 0: that was all, or it has failed.
  std::size_t read(char* bytes, std::size_t size);
  // Returns whether there is more to read, or the end; waits for that, at most 100 ms.
  bool is_ready() const;
  // Tells, once read() has returned 0, whether something that was asked for is missing.
  bool has_failed() const { return failed_; }
  const std::string& content_type() const { return content_type_; }
  const std::string& file_name() const { return file_name_; }

 private:
  void begin_lines();
  bool write(int fd) const;  // false: not all of it
  void make_log();
  void write_log(logfile::OutputFile* out);  // throws Refused

  std::shared_ptr<const OpenLog> log_;
  const Params params_;
  WorkMeter* const meter_;
  std::unique_ptr<Asked> asked_;
  std::optional<lines::LineKind> kind_;  // none: a log
  std::string content_type_;
  std::string file_name_;
  int fd_ = -1;
  std::atomic<bool> failed_{false};
  std::thread writer_;
};

}  // namespace steno::cli::web
