// Several files, opened together and read as one log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reader/log_file.h"

namespace steno::reader {

class LogSet {
 public:
  explicit LogSet(const OpenOptions& options = {}) : options_(options) {}
  explicit LogSet(Secrets secrets, const OpenOptions& options = {}) : options_(options) { ordinals_.secrets = secrets; }
  LogSet(const LogSet&) = delete;
  LogSet& operator=(const LogSet&) = delete;

  // Opens a file for this set. OpenOptions::index_from counts the bytes of all of them: once so many were checked,
  // later files are opened by their indexes, if they are as large as writers leave one.
  Result<std::unique_ptr<LogFile>> open(const std::string& path, std::vector<Extra> extra = {});
  // Opens records that are in no file (yet); messages call them `name`.
  Result<std::unique_ptr<LogFile>> open_extra(const std::string& name, std::vector<Extra> extra) {
    return LogFile::without_file(name, &ordinals_, std::move(extra), options_);
  }
  // Takes one that it has opened, after the others.
  void add(std::unique_ptr<LogFile> file) {
    for (const auto& earlier : files_) file->join(*earlier);
    files_.push_back(std::move(file));
  }
  // Both; after an error the set is as before.
  Status add(const std::string& path, std::vector<Extra> extra = {}) { return add(open(path, std::move(extra))); }
  Status add(Result<std::unique_ptr<LogFile>> file) {
    if (!file.ok()) return file.status();
    add(std::move(file).value());
    return {};
  }

  // All of them, or none. They are read at the same time, a few dozen at once, in as many threads.
  Status add(const std::vector<std::shared_ptr<ByteSource>>& sources);

  // From now on opening files is counted there, in bytes; nullptr: nowhere.
  void count_on(WorkMeter* meter) { options_.meter = meter; }
  // From now on compressed files are unpacked by it.
  void unpack_by(FileBytes::Unpack unpack) { options_.unpack = unpack; }

  const std::vector<std::unique_ptr<LogFile>>& files() const { return files_; }
  const Ordinals& ordinals() const { return ordinals_; }

 private:
  OpenOptions options_;
  std::uint64_t opened_bytes_ = 0;
  Ordinals ordinals_;
  std::vector<std::unique_ptr<LogFile>> files_;
};

}  // namespace steno::reader
