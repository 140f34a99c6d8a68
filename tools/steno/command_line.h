// The command line as a whole.
#pragma once

namespace steno::cli {

// Runs the command that the arguments name, and returns its exit code (docs/cli.md). Changes nothing in the process,
// except signal handlers while a command follows a log.
int run_command_line(int argc, char** argv);

}  // namespace steno::cli
