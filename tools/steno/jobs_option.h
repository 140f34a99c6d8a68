// --jobs, of every command that works with several threads.
#pragma once

#include <CLI/CLI.hpp>

namespace steno::cli {

// From the moment at which it is parsed, the process works with as many threads: also when it opens files.
CLI::Option* add_jobs_option(CLI::App& app);

}  // namespace steno::cli
