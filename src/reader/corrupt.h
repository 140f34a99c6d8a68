// The error of a file that contradicts itself, or wants more than it may.
#pragma once

#include <string>

#include "steno/status.h"

namespace steno::reader {

inline Status corrupt(const char* what) {
  return {StatusCode::kCorrupt, what};
}

// `limit`: a member of ReadLimits.
inline Status beyond_limit(const char* limit) {
  return {StatusCode::kExhausted, "it wants more than ReadLimits::" + std::string(limit) + " allows"};
}

}  // namespace steno::reader
