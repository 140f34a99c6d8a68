// The steno command: reads .steno files. docs/cli.md is its manual.
#include <csignal>

#include "command_line.h"
#include "input/lost_pages.h"
#include "memory_limit.h"

int main(int argc, char** argv) {
  steno::cli::run_other_program(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);  // `| head` ends the output, not the process: write() says EPIPE
  std::signal(SIGXFSZ, SIG_IGN);  // as `ulimit -f` does: EFBIG
  steno::cli::explain_lost_pages();
  steno::cli::limit_memory();
  steno::cli::keep_freed_memory();
  return steno::cli::run_command_line(argc, argv);
}
