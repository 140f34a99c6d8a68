// Ids of sessions.
#pragma once

#include <cstdint>

namespace steno::staging {

// Random and never 0, except for the low 16 bits: they are the tag of the session's blocks (file.md §1), and sessions
// that write to one file at the same time should have different tags. So they are derived from the process id and the
// number of its sessions, counted from a place that machines and containers do not share, as a rule; a child that
// begins a pid namespace keeps its parent's. No memory is allocated.
std::uint64_t new_session_id();

}  // namespace steno::staging
