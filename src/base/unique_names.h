// Names that repeat.
#pragma once

#include <string>
#include <vector>

namespace steno {

// "x", "x" becomes "x", "x_2". Linear: names may come from a hostile file, which may repeat one a million times.
void make_unique(std::vector<std::string>& names);

}  // namespace steno
