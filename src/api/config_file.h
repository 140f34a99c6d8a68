// The configuration file of Options::config: its keys are the fields of Options (docs/guide.md has them all).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

// What a file said, to be compared with what it says later.
struct ConfigFile {
  std::optional<Level> level;
  std::string levels;  // as rules
  // All else by its name, "sinks[0].rotation.keep".
  struct Setting {
    std::string value;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::map<std::string, Setting> settings;

  // `status`, which complaints of an option, with the place where the file says it.
  Status located(const std::string& path, const Status& status) const;
};

// Sets what the file at `path` says. Its sinks come behind those that there are. Fails with the file, lines and
// columns in the message; the options are half set then.
Result<ConfigFile> read_config_file(const std::string& path, Options* options);

}  // namespace steno::api
