// Numbers of binary32 for people: as the text that a message prints.
#pragma once

#include <cmath>
#include <cstdlib>

#include "text/number.h"

namespace steno::query {

// The binary64 that is nearest to the shortest text of a float: 0.1 of 0.1f.
inline double printed_value(float value) {
  if (!std::isfinite(value)) return static_cast<double>(value);
  char text[text::kMaxNumberSize + 1];
  *text::write_shortest(value, text) = '\0';
  return std::strtod(text, nullptr);
}

}  // namespace steno::query
