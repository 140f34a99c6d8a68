// --jobs, of every command that works with several threads.
#pragma once

#include <CLI/CLI.hpp>

namespace steno::cli {

// Adds the option. As soon as it is parsed, the process uses that many threads, for opening files as well.
CLI::Option* add_jobs_option(CLI::App& app);

}  // namespace steno::cli
