// Decides whether lines are coloured.
#pragma once

#include <cstdlib>
#include <string_view>

#include "steno/sink.h"

namespace steno::lines {

inline bool wants_colour(Colour when, bool terminal) {
  if (when != Colour::kAuto) return when == Colour::kAlways;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* name = std::getenv("TERM");
  return terminal && (no_colour == nullptr || *no_colour == '\0') &&
         (name == nullptr || std::string_view(name) != "dumb");
}

}  // namespace steno::lines
