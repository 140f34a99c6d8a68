// The way out when pages of a mapped file are gone.
#pragma once

#include <cstdint>

namespace steno::cli {

// From now on, if a file becomes shorter while it is read or its disk fails, the process ends with kExitUnreadable and
// one sentence on standard error that names the file. (The kernel reports both by SIGBUS.) What was printed before
// remains. Any other SIGBUS ends the process as usual. Call once, before threads start.
void explain_lost_pages();

// In its place, for a program that must not end: such pages turn into zeros, and lost_pages() counts up. What was read
// from the file since it was opened is worth nothing then.
void survive_lost_pages();
// How often that has happened.
std::uint64_t lost_pages();

}  // namespace steno::cli
