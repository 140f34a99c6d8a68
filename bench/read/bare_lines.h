// The yardstick of printing: a loop that does nothing but format such lines and write them.
#pragma once

#include <cstddef>

#include "peers/peer.h"

namespace steno::bench {

// Seconds to write `lines` lines of this message, as `steno cat` prints them, to /dev/null.
double bare_lines_seconds(Message message, std::size_t lines);

}  // namespace steno::bench
