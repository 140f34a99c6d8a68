// Command lines that make no sense.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace steno::cli {

// What is wrong, in one sentence that names it and says what to do, or what was perhaps meant. `app` is the parser that
// threw.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app);

}  // namespace steno::cli
