// Checks staging against its specification (spec/ring.md), byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steno/status.h"

namespace steno::cli {

// The contents of a staging directory, and its errors: one sentence each, beginning with the name of the file.
struct StagingCheck {
  std::vector<std::string> problems;
  std::size_t rings = 0;
  std::size_t statements = 0;
  std::uint64_t records = 0;  // waiting in the rings, without those that have no sequence number
  std::uint64_t unknown = 0;  // records of kinds that this version does not know
};

// Requires that its process does not log meanwhile. Fails if the directory cannot be read at all.
Result<StagingCheck> check_staging(const std::string& directory);

}  // namespace steno::cli
