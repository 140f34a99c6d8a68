// Words and options that people bring from other tools, and what they are here: for the sentences on mistakes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steno::cli {

// Returns "; use 'steno cat FILE --grep TEXT'" for a word that is no command here, but that other tools have, or the
// name of a file; "" if there is nothing better to say than a list.
std::string command_instead(const std::string& word);

// Returns such a text for an option that `command` does not have; `options`: those that it has.
std::string option_instead(std::string_view name, std::string_view command, const std::vector<std::string>& options);

}  // namespace steno::cli
