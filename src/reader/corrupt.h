// The error of a file that contradicts itself, or wants more than it may.
#pragma once

#include <cstdint>
#include <string>

#include "steno/status.h"

namespace steno::reader {

inline Status corrupt(const char* what) {
  return {StatusCode::kCorrupt, what};
}

// ReadLimits::memory where it is 0, of a file of that size.
inline std::uint64_t default_memory(std::uint64_t size) {
  return (std::uint64_t{1} << 30) + 64 * size;
}

// `limit`: a member of ReadLimits.
inline Status beyond_limit(const char* limit) {
  return {StatusCode::kExhausted, "it wants more than ReadLimits::" + std::string(limit) + " allows"};
}

}  // namespace steno::reader
