// The level that a statement names: STENO_LOG(NOTICE, ...). By its spelling, so that a wrong one is one sentence, and
// not an undeclared name in each place where a statement needs its level.
#pragma once

#include "steno/level.h"

namespace steno::detail {

inline constexpr int kNoLevel = -1;
inline constexpr int kFormatForLevel = -2;

// The number of the level of that name, or one of the above.
constexpr int level_number(const char* name) {
  constexpr char kFirst[] = "TDINWEC";
  if (name[0] == '"') return kFormatForLevel;
  for (int level = 0; level < kLevelCount; ++level) {
    if (name[0] != kFirst[level]) continue;
    const char* known = level_name(static_cast<Level>(level));
    int i = 1;
    while (name[i] != 0 && name[i] == known[i]) ++i;
    return name[i] == known[i] ? level : kNoLevel;
  }
  return kNoLevel;
}
static_assert(level_number("TRACE") == 0 && level_number("CRITICAL") == 6 && level_number("WARNING") == kNoLevel);

constexpr Level level_of(int number) {
  return number < 0 ? Level::kInfo : static_cast<Level>(number);
}

}  // namespace steno::detail
