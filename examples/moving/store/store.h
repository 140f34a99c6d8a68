// A store with the shape of LevelDB, in memory: what is put goes into a table, full tables are kept in levels, and a
// level with too many of them is compacted into the next. Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "logger.h"

namespace store {

class Store {
 public:
  explicit Store(Logger& log) : log_(log) {}
  void Put(const std::string& key, const std::string& value);
  bool Get(const std::string& key, std::string* value) const;

 private:
  using Table = std::map<std::string, std::string>;
  struct File {
    unsigned long long number;
    Table table;
  };
  void Flush();
  void Compact(std::size_t level);

  Logger& log_;
  Table memory_;
  std::vector<std::vector<File>> levels_;
  unsigned long long next_file_ = 1;
};

}  // namespace store
