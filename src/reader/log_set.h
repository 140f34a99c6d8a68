// Several files, opened together and read as one log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reader/log_file.h"

namespace steno::reader {

class LogSet {
 public:
  LogSet() = default;
  LogSet(const LogSet&) = delete;
  LogSet& operator=(const LogSet&) = delete;

  // Opens one more file; after an error the set is as before.
  Status add(const std::string& path) {
    auto file = LogFile::open(path, &ordinals_);
    if (!file.ok()) return file.status();
    files_.push_back(std::move(file).value());
    return {};
  }

  const std::vector<std::unique_ptr<LogFile>>& files() const { return files_; }
  const Ordinals& ordinals() const { return ordinals_; }

 private:
  Ordinals ordinals_;
  std::vector<std::unique_ptr<LogFile>> files_;
};

}  // namespace steno::reader
