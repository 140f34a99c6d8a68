// Log requests (common/request.h) into files, pipes and sockets as lines, by steno's sinks and by spdlog's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace steno::bench {

enum class Sink { kText, kJson, kCsv, kLogfmt, kConsole, kUdp, kTcp, kCallback };

// The destination of the lines: a sink needs one of these.
struct Target {
  std::string path;
  std::uint16_t port = 0;  // of this host
  std::function<void(std::string_view line)> callback;
};

// Each logs `messages` requests and returns when all of them have been written. The console is standard output.
void log_by_steno(Sink sink, const Target& target, std::size_t messages);
#ifdef STENO_PEER_SPDLOG
// CSV and logfmt are left out, because spdlog has neither.
void log_by_spdlog(Sink sink, const Target& target, std::size_t messages);
#endif

}  // namespace steno::bench
