// Error messages for invalid command lines.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace steno::cli {

// One sentence that names the mistake and says what to do instead, or what the user may have meant. `app` is the parser
// that threw.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app);

}  // namespace steno::cli
