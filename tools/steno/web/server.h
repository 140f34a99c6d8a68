// The server of `steno web`, over the HTTP library.
#pragma once

#include "web/web.h"

namespace steno::cli::web {

// Prints the address, opens a browser if that is asked for, and answers until SIGINT, SIGTERM or SIGHUP come. Throws
// CLI::ValidationError: options make no sense together, or the address cannot be had.
ExitCode serve(const WebOptions& options);

}  // namespace steno::cli::web
