// POST /api/level: levels of running processes, and of single statements.
#pragma once

#include "web/asked.h"

namespace steno::cli::web {

// Returns whether the log has a session that goes on and that this user may control.
bool can_control(const OpenLog& log);
// Sets a level. Parameters: session or pid; logger or site, or none for the session; level. Throws Refused with what is
// wrong, or with what the process says.
void set_level(const OpenLog& log, const Params& params);

}  // namespace steno::cli::web
