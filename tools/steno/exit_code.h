// The command's exit status (docs/cli.md). If several apply, the greatest is returned.
#pragma once

#include <algorithm>

namespace steno::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitIncomplete = 1,  // read, but something is missing or damaged: standard error says what
  kExitUsage = 2,       // the command line makes no sense
  kExitUnreadable = 3,  // a file could not be read at all, or the output not be written
};

inline void raise_to(ExitCode* code, ExitCode at_least) {
  *code = std::max(*code, at_least);
}

}  // namespace steno::cli
