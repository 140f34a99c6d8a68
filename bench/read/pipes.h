// Measures how fast bytes go through a pipe: from a command, and from a process that does nothing else.
#pragma once

#include <cstddef>
#include <string>

namespace steno::bench {

struct Drained {
  double seconds = 0;
  std::size_t bytes = 0;
};

// Reads all that `line` prints through a pipe, and drops it. Infinitely many seconds if it fails.
Drained drain_command(const std::string& line);
// Does the same with a process that writes as many bytes from memory.
Drained drain_bytes(std::size_t bytes);

}  // namespace steno::bench
