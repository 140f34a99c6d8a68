// Staging held against its specification (spec/ring.md), byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steno/status.h"

namespace steno::cli {

// What is in a staging directory, and what is wrong with it: a sentence each, which begins with the file.
struct StagingCheck {
  std::vector<std::string> problems;
  std::size_t rings = 0;
  std::size_t statements = 0;
  std::uint64_t records = 0;  // that wait in the rings, those without a number not counted
  std::uint64_t unknown = 0;  // of kinds that this version does not know
};

// Its process must not log meanwhile. An error: it cannot be read at all.
Result<StagingCheck> check_staging(const std::string& directory);

}  // namespace steno::cli
