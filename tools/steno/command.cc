#include "command.h"

#include <cstring>

#include "input/inputs.h"
#include "output/output.h"

namespace steno::cli {

void finish(Output& output, ExitCode* code) {
  output.flush();
  if (output.error() == 0) return;
  complain(std::string("cannot write the output: ") + std::strerror(output.error()));
  raise_to(code, kExitUnreadable);
}

}  // namespace steno::cli
