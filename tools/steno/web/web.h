// `steno web`: a page over logs. This has the options that it is started with, and the way in which the command finds
// the server.
//
// The server is in a program of its own, steno-web, beside the command: it links an HTTP library, with all that this
// library needs, which no other command should load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exit_code.h"
#include "query/filter/filter.h"

namespace steno::cli {

struct WebOptions {
  std::vector<std::string> files;
  query::FilterOptions filter;  // of these, what is asked of the logs as a whole: shifts, secrets
  std::string listen = "127.0.0.1";
  std::uint16_t port = 0;  // 0: one that is free
  std::string certificate;
  std::string key;
  std::int64_t longest_ns = 30'000'000'000;  // that a question may take
  bool open = true;                          // a browser, if there is a screen
};

// Serves until it is interrupted. Throws CLI::ValidationError for options that make no sense together.
using Serve = ExitCode (*)(const WebOptions& options);
// The server of this program; nullptr: it has none. To be set before the command line is read.
void set_web_server(Serve serve);
Serve web_server();

}  // namespace steno::cli
