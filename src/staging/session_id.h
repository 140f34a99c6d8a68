// Ids of sessions.
#pragma once

#include <cstdint>

namespace steno::staging {

// Random, never 0, but for the low 16 bits: they are the tag of the session's blocks (file.md §1), and who writes into
// one file at the same time must not have the same. So they count on with the process's number and its sessions, from
// a place that machines and containers do not share, as a rule. No memory is allocated.
std::uint64_t new_session_id();

}  // namespace steno::staging
