// Choices of the user for all commands: steno/steno.toml in $XDG_CONFIG_HOME, else in ~/.config.
#pragma once

#include <optional>
#include <string>

#include "steno/status.h"

namespace steno::cli {

// Those that the file sets. Options and the environment go before it (docs/cli.md).
struct UserSettings {
  std::optional<std::string> format;       // the layout of lines of text, as --pattern
  std::optional<std::string> columns;      // of lines of text, as --columns
  std::optional<std::string> time_format;  // of text and of tables
  std::optional<std::string> show_context;
  std::optional<std::string> color;
  std::optional<std::string> pager;
};

// The path of the file, whether or not it is there; empty: the user has no directory.
std::string user_settings_path();
// Reads the file, for user_settings(); none is no error. kInvalidArgument: "PATH:LINE:COLUMN: what is wrong".
Status read_user_settings();
// The settings as they were read; nothing is set before.
const UserSettings& user_settings();

}  // namespace steno::cli
