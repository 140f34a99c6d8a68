// How many mutations of a log a test makes.
#pragma once

#include <cstdlib>

#include "sanitizers.h"

namespace steno::test {

// STENO_MUTATIONS, as `make test-long` sets it; 60 otherwise, 30 under sanitizers.
inline unsigned mutations() {
  const char* const given = std::getenv("STENO_MUTATIONS");
  if (given != nullptr) return static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  return kAddressSanitizer || kThreadSanitizer ? 30 : 60;
}

}  // namespace steno::test
