// Tells whether a file is the one that a session logs into, or one that has taken its place: the log was removed, moved
// or emptied (ring.md §5).
#pragma once

#include "ring/log_identity.h"

namespace steno::live {

// Returns whether the records that the session has released lie in another file than `found`. An empty file is another
// one, though it may be the same file cut short.
inline bool lies_elsewhere(const ring::SessionFile& session, const ring::LogIdentity& found, bool empty) {
  return empty || !ring::log_of(session).is_same_file(found);
}

}  // namespace steno::live
