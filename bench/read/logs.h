// Log files for the reading benchmarks, written by steno itself.
#pragma once

#include <cstddef>
#include <string>

#include "peers/peer.h"

namespace steno::bench {

// `messages` of one kind from `threads` threads at once, which take turns every few messages. Ends the program where
// the file cannot be made. Returns the bytes of the file.
std::size_t write_log(const std::string& path, Message message, std::size_t messages, std::size_t threads = 1);

}  // namespace steno::bench
