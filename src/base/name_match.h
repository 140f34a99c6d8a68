// How the names of loggers, the paths of files and texts are matched, wherever somebody writes one.
#pragma once

#include <string_view>

namespace steno {

// Returns whether the logger `name` is `under`, or below it: "net" has "net.http". "net*" means all that begins with
// "net".
bool is_under(std::string_view name, std::string_view under);
// The last components of `path` are `suffix`: "store.cc" is src/db/store.cc too.
bool path_ends_in(std::string_view path, std::string_view suffix);
// All of `text` is `pattern`, in which '*' is any text, and '\' makes an ordinary character of what follows it.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace steno
