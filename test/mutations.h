// The number of mutations of a log that a test makes.
#pragma once

#include <cstdlib>

namespace steno::test {

// STENO_MUTATIONS, as `make test-long` sets it; 30 otherwise.
inline unsigned mutations() {
  const char* const given = std::getenv("STENO_MUTATIONS");
  if (given != nullptr) return static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  return 30;
}

}  // namespace steno::test
