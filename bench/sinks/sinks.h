// Log messages into files as lines, by steno's sinks and by spdlog's.
#pragma once

#include <cstddef>
#include <string>

namespace steno::bench {

// Each logs `messages` requests into the file at `path` and returns when all of them are in it.
void log_by_steno(const std::string& path, std::size_t messages, const char* format);
#ifdef STENO_PEER_SPDLOG
void log_by_spdlog(const std::string& path, std::size_t messages, bool json);
#endif

}  // namespace steno::bench
