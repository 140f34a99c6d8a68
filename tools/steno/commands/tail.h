// steno tail, for other commands that follow logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exit_code.h"
#include "options/filter_options.h"
#include "options/format_options.h"

namespace steno::cli {

struct TailOptions : FormatOptions {
  query::FilterOptions filter;
  std::vector<std::string> paths;
  std::optional<std::uint64_t> lines;
  bool all_lines = false;  // without `lines`: all, not the last ten
  bool follow = false;
  std::optional<std::uint64_t> most_rate;  // lines a second of a statement, 0: any; none: as the output is

  // How many of the lines that are there; none: all. --since replaces the number.
  std::optional<std::uint64_t> last() const;
};

// Prints the end of logs and follows them, until a signal asks for the end. Throws CLI::ValidationError for what cannot
// be followed: standard input, times that are shifted.
void run_tail(const TailOptions& options, ExitCode* code);
// Adds --max-rate.
void add_rate_option(CLI::App& command, std::optional<std::uint64_t>* most_rate);

}  // namespace steno::cli
