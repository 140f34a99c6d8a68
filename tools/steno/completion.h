// The words that a shell offers when somebody presses the tab key.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace steno::cli {

// The words that the last one may become: commands and options of `app`; values of options; fields, threads, loggers,
// places and statements of the files that are among the words. Empty: a file, or nothing. `words` come without "steno".
std::vector<std::string> completions_of(const std::vector<std::string>& words, const CLI::App& app);

// The script that asks `steno complete`; nullptr: the shell is not bash, zsh or fish.
const char* completion_script(const std::string& shell);

}  // namespace steno::cli
