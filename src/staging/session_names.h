// What a session file says of its session, stored so that whoever comes after a crash finds all of it (ring.md §2).
#pragma once

#include <cstdint>
#include <string>

#include "ring/layout.h"

namespace steno::staging {

// Whoever comes after a crash finds the one path, the other, or none.
void set_log_path(ring::SessionFile& file, const std::string& path);
void set_identity(ring::SessionFile& file, const ring::LogIdentity& log);
// A new session, that no consumer has written: when it begins, then its id. Its clock points are those of the process,
// and go on.
void name_session(ring::SessionFile& file);

}  // namespace steno::staging
