// Times in nanoseconds, anywhere in what 64 bits hold.
#pragma once

#include <cstdint>

namespace steno {

inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;
inline constexpr std::int64_t kNsPerDay = 86'400 * kNsPerSecond;

// The second that holds a time: it begins at or before it, before 1970 too.
constexpr std::int64_t second_of(std::int64_t ns) {
  return ns / kNsPerSecond - (ns % kNsPerSecond < 0 ? 1 : 0);
}

// The sum, or the end of the range that it is beyond.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace steno
