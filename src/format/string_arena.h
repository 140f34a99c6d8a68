// Memory of decoded strings.
#pragma once

#include <cstdint>

#include "base/raw_vector.h"

namespace steno::format {

// Where decoded strings point to if not into the block. Resized by who writes all of it.
using StringArena = RawVector<std::uint8_t>;

}  // namespace steno::format
