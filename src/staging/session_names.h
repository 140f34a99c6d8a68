// Stores the facts of a session in its session file, so that recovery finds all of them after a crash (ring.md §2).
#pragma once

#include <cstdint>
#include <string>

#include "ring/log_identity.h"

namespace steno::staging {

// Whoever comes after a crash finds the one path, the other, or none.
void set_log_path(ring::SessionFile& file, const std::string& path);
void set_identity(ring::SessionFile& file, const ring::LogIdentity& log);
// A new session, of which no consumer has written anything: stores its begin, then its id. It continues the clock
// points of the process.
void name_session(ring::SessionFile& file);

}  // namespace steno::staging
