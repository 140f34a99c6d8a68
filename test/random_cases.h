// The number of random cases that a test makes, where all of them take a second or more.
#pragma once

#include <cstdlib>

#include "sanitizers.h"

namespace steno::test {

// Returns whether to make all cases: STENO_ALL_CASES is set, as `make test-long` sets it.
inline bool all_cases() {
  return std::getenv("STENO_ALL_CASES") != nullptr;
}

// A quarter of n unless all are to be made: the same cases, from the first on. Under sanitizers what sampled() says.
inline int random_cases(int n) {
  if (kAddressSanitizer || kThreadSanitizer) return sampled(n);
  return all_cases() ? n : (n + 3) / 4;
}

}  // namespace steno::test
