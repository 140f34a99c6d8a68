// Whether a file is the one that a session logs into, or one that has taken its place: the log was removed, moved or
// emptied (ring.md §5).
#pragma once

#include "ring/layout.h"

namespace steno::live {

// The file that the session wrote last.
inline ring::LogIdentity log_of(const ring::SessionFile& session) {
  return {session.log_device, session.log_inode, session.log_owner, session.log_birth};
}

// Whether what the session has released lies in another file than `found`. An empty file is another one, though it may
// be the same file cut short.
inline bool lies_elsewhere(const ring::SessionFile& session, const ring::LogIdentity& found, bool empty) {
  return empty || !log_of(session).is_same_file(found);
}

}  // namespace steno::live
