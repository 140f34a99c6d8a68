// How much memory the command may take.
#pragma once

#include <string>

namespace steno::cli {

// From now on, what goes beyond three quarters of the machine's memory (or of the control group's) is std::bad_alloc,
// before the kernel ends this process, or another one, for it: a small hostile file can ask for any amount. 256 MiB are
// always allowed, and files that are mapped do not count. A limit that is set already (`ulimit -d`) stays as it is.
// Threads that start from now on have stacks of 2 MiB. Call once, before threads.
void limit_memory();

// "out of memory: ...", with the limit and what takes less.
std::string out_of_memory_text();

}  // namespace steno::cli
