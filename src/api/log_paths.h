// Paths of logs and of text files as users write them: "/var/log/${SERVICE}/{program}.{pid}.steno".
#pragma once

#include <string>
#include <string_view>

#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

// Replaces `{pid}`, `{program}` (the name of the executable), `{host}`, `{date}` (2026-11-22) and `{time}`
// (2026-11-22T20-15-00), both of now, and `${NAME}`, the value of an environment variable. `{{` and `}}` are single
// braces. Other braces stay as they are, unless a name is between them: that is misspelt. `name`: the option, for
// messages. Does nothing to a path without braces.
Status expand_path(const std::string& name, bool local_time, std::string* path);

// A path that expand_path() makes of this one: where a path is taken as it is, once more.
std::string escaped_path(std::string_view path);
// Escapes all paths of options that are complete.
void escape_paths(Options* options);

// Makes the directories of the log and of text files that do not exist, with mode 0755 minus the umask, through trusted
// links only (LogPlace).
Status make_directories(const Options& options);

}  // namespace steno::api
