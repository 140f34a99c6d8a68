// What happens when pages of a mapped file are gone.
#pragma once

namespace steno::cli {

// From now on, if a file becomes shorter while it is read or its disk fails, the process ends with kExitUnreadable and
// one sentence on standard error that names the file. (The kernel reports both by SIGBUS.) What was printed before
// remains. Any other SIGBUS ends the process as usual. Call once, before threads start.
void explain_lost_pages();

}  // namespace steno::cli
