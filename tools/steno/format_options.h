// How commands print records.
#pragma once

#include <memory>
#include <string>

#include "command.h"
#include "line_format.h"
#include "output.h"
#include "steno/level.h"
#include "steno/status.h"

namespace steno::cli {

struct FormatOptions {
  std::string format = "text";
  std::string pattern;
  std::string level = "TRACE";
  std::string colour = "auto";
  bool local = false;
  bool utc = false;
  bool raw = false;
};

void add_format_options(CLI::App& command, const std::shared_ptr<FormatOptions>& options);
Result<std::unique_ptr<LineFormat>> make_format(const FormatOptions& options, const Output& output);
// "warn" is WARN. False: no such level.
bool parse_level(std::string name, Level* level);

}  // namespace steno::cli
