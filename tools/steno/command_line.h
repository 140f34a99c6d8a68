// The command line as a whole.
#pragma once

namespace steno::cli {

// Runs the command that the arguments name; its exit code (docs/cli.md). Changes nothing of the process but its
// signals, while a command follows a log.
int run_command_line(int argc, char** argv);

}  // namespace steno::cli
