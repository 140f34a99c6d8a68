// How values of a configuration file become options: what a key expects, and where it goes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/toml_tree.h"
#include "steno/level.h"

namespace steno::api {

// The faults of a file, "LINE:COLUMN: …" each.
class ConfigProblems {
 public:
  void add(const TomlNode& at, const std::string& what);
  bool empty() const { return problems_.empty(); }
  // All of them, in one sentence after the other.
  std::string text() const;

 private:
  std::vector<std::string> problems_;  // the first few
  std::size_t more_ = 0;
};

// Takes a value. Returns what is expected instead, or "".
using TakeValue = std::function<std::string(const TomlNode&)>;

TakeValue take_text(std::string* to);
TakeValue take_bool(bool* to);
TakeValue take_integer(std::int64_t least, std::int64_t most, std::function<void(std::int64_t)> set);
// 65536, "64 KiB", "8 MiB", "1 GiB"; "100MB" is 100 MiB, as in options of the command.
TakeValue take_size(std::function<void(std::uint64_t)> set);
// "250ms", "5s", "10m", "2h", "7d"; "forever" where `forever`.
TakeValue take_duration(std::function<void(std::chrono::milliseconds)> set, bool forever = false);
TakeValue take_level(Level* to);
// 416, 0o640 or "0640".
TakeValue take_file_mode(unsigned* to);

template <class Enum>
TakeValue take_one_of(Enum* to, std::vector<std::pair<const char*, Enum>> names);

struct ConfigKey {
  const char* name;
  TakeValue take;
};

// Takes the keys that a table has; others are problems.
void take_table(const TomlNode& table, const std::vector<ConfigKey>& keys, const std::string& where,
                ConfigProblems& problems);
// Where a key is to be a table: nullptr, and a problem, if it is none.
const TomlNode* as_table(const TomlNode& node, const std::string& where, ConfigProblems& problems);

std::string one_of(const std::vector<const char*>& names, const TomlNode& node, std::size_t* found);

template <class Enum>
TakeValue take_one_of(Enum* to, std::vector<std::pair<const char*, Enum>> names) {
  return [to, names = std::move(names)](const TomlNode& node) {
    std::vector<const char*> texts;
    for (const auto& name : names) texts.push_back(name.first);
    std::size_t found = 0;
    std::string problem = one_of(texts, node, &found);
    if (problem.empty()) *to = names[found].second;
    return problem;
  };
}

}  // namespace steno::api
