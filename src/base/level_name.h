// Levels as people write them.
#pragma once

#include <string_view>

#include "steno/level.h"

namespace steno {

// A level by its name (steno/level.h), in any case, or by one that other loggers have for it: "warning", "fatal",
// "none". kLevelOff has names too. False: no level is called so.
bool parse_level_name(std::string_view name, Level* level);

// Reads a level's name or number, with spaces around it or not.
bool parse_level(std::string_view text, Level* level);

}  // namespace steno
