// The configuration file of Options::config: its keys are the fields of Options (docs/guide.md has them all).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

// By which a file that was written is another.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t written = 0;  // ns
  bool operator==(const FileStamp&) const = default;
};

// The settings of a file, kept to be compared with those of a later version.
struct ConfigFile {
  std::optional<Level> level;
  std::string levels;                                // as rules
  std::vector<std::pair<std::string, Level>> sinks;  // what rules call them, and their levels
  // All else by its name, "sinks[0].rotation.keep".
  struct Setting {
    std::string value;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::map<std::string, Setting> settings;
  FileStamp stamp;                     // from before it was read
  Level level_without = Level::kInfo;  // what the session's level would be without the file

  // `status`, an error about an option, with the place of that option in the file.
  Status located(const std::string& path, const Status& status) const;
};

// Returns whether a setting of that name, "sinks[0].level", is a sink's level, which changes while all else stays.
bool is_level_of_sink(const std::string& name);

// The stamp of the file at `path`. False: there is none.
bool find_stamp(const std::string& path, FileStamp* stamp);

// Applies the settings of the file at `path`. Its sinks are added after the existing ones. Fails with the file, lines
// and
// columns in the message; the options are half set then.
Result<ConfigFile> read_config_file(const std::string& path, Options* options);
// Reads a text as a configuration file; `name` is what messages call it.
Result<ConfigFile> read_config_text(const std::string& name, const std::string& text, Options* options);

}  // namespace steno::api
