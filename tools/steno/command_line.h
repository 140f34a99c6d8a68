// The command line as a whole.
#pragma once

namespace steno::cli {

// Runs the command that the arguments name, and returns its exit code (docs/cli.md). Changes nothing in the process,
// except signal handlers while a command follows a log.
int run_command_line(int argc, char** argv);

// If the first word is no command and PATH has a program steno-WORD, becomes that program; else returns. To be called
// before the process is changed: the other program is to have what the user gave to this one.
void run_other_program(int argc, char** argv);

}  // namespace steno::cli
