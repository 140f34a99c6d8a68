// Makes the contents of the session block from the facts in the session's staging.
#pragma once

#include <string>

#include "format/session_block.h"
#include "ring/layout.h"

namespace steno::drain {

// `session` may be anybody's; this host and this version are named as those that write the file. The rate of its clock
// is what it was first taken for.
format::SessionBlock session_info(const ring::SessionFile& session, const std::string& staging);

}  // namespace steno::drain
