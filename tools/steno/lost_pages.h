// A mapped file whose pages are gone.
#pragma once

namespace steno::cli {

// From now on a file that becomes shorter while it is read, or whose disk fails, ends the process with one sentence on
// standard error, which names it, and kExitUnreadable: the kernel reports both by SIGBUS. What was printed before
// stands. Any other SIGBUS ends the process as before. Call once, before threads.
void explain_lost_pages();

}  // namespace steno::cli
