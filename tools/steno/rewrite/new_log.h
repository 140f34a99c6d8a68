// The options of commands that write a log, and how these commands end.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "exit_code.h"
#include "input/inputs.h"
#include "rewrite/copy.h"

namespace steno::cli {

struct NewLogOptions {
  std::vector<std::string> paths;
  std::string out;
  bool force = false;
  AskedTimes asked = all_times();  // what is read of them; damage of other times is not reported
};

// The names of what is read, patterns expanded, whether or not it can be opened; "-" is standard input.
std::vector<std::string> input_paths(const NewLogOptions& options);

// FILE..., --output, --force.
void add_new_log_options(CLI::App& app, NewLogOptions* options);

// Looks at the file that was written, before it gets its name. An error ends the command, and nothing is left.
using ProveFile = Status (*)(const reader::LogSet& logs, const std::string& part);

// Copies the logs to the new file and says on standard output how much is in it. Reports what could not be read.
// nullopt: it was not written, and an error was reported. Without records nothing is written either.
std::optional<Copied> write_new_log(const reader::LogSet& logs, const NewLogOptions& options, CopyRules rules,
                                    ProveFile prove, ExitCode* code);

}  // namespace steno::cli
