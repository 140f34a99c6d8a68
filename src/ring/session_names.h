// What a session file says of its session, stored so that whoever comes after a crash finds all of it (ring.md §2).
#pragma once

#include <cstdint>
#include <string>

#include "ring/layout.h"

namespace steno::ring {

// Whoever comes after a crash finds the one path, the other, or none.
void set_log_path(SessionFile& file, const std::string& path);
void set_identity(SessionFile& file, const LogIdentity& log);
// A new session, that no consumer has written: when it begins, then its id. Its clock points are those of the process,
// and go on.
void name_session(SessionFile& file);
// For a consumer that is about to write for this session: how many were before it.
std::uint32_t count_consumer(SessionFile& file);

}  // namespace steno::ring
