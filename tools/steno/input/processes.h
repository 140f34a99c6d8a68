// The processes that log, as their staging describes them.
#pragma once

#include <cstdint>
#include <string>

#include "steno/status.h"

namespace steno::cli {

struct Process {
  std::string directory;  // its staging
  std::string program;
  std::string path;    // of its log; empty: none yet
  std::string state;   // as in docs/cli.md, ps
  std::string scribe;  // who drains it: "inside", "none", or a process's number
  std::uint32_t pid = 0;
  std::int64_t start_wall = 0;
  std::size_t rings = 0;
  std::uint64_t ring_bytes = 0;
  std::uint64_t backlog = 0;  // bytes in rings that are not on file
  std::uint64_t dropped = 0;  // records, since the rings were made
};

// Reads a staging directory as it is now. Errors are those of ForeignStaging::open.
Result<Process> look_at_process(const std::string& directory);

}  // namespace steno::cli
