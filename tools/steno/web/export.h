// /api/export: what a question selects, as a file. It is made while it is sent, so that its size does not matter.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "lines/line_format.h"
#include "web/asked.h"

namespace steno::cli::web {

// The lines of records, made by a thread of its own. Not thread-safe.
class Export {
 public:
  // `log` must outlive this; params are copied. Throws Refused: there is no such format.
  Export(std::shared_ptr<const OpenLog> log, const Params& params);
  // Throws away bytes that nobody has read.
  ~Export();
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  // The next bytes, at most `size`. 0: that was all, or it has failed.
  std::size_t read(char* bytes, std::size_t size);
  // Whether there is more to read, or the end; waits for that, at most 100 ms.
  bool is_ready() const;
  // Once read() has returned 0: what was read is not all that was asked for.
  bool has_failed() const { return failed_; }
  const std::string& content_type() const { return content_type_; }
  const std::string& file_name() const { return file_name_; }

 private:
  bool write(int fd) const;  // false: not all of it
  bool write_log(int fd) const;

  std::shared_ptr<const OpenLog> log_;
  const Params params_;
  WorkMeter meter_;
  std::unique_ptr<Asked> asked_;
  std::optional<lines::LineKind> kind_;  // none: a log
  std::string content_type_;
  std::string file_name_;
  int fd_ = -1;
  std::atomic<bool> failed_{false};
  std::thread writer_;
};

}  // namespace steno::cli::web
