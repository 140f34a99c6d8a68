// Whether a file is the one that a session logs into, or one that has taken its place: the log was removed, moved or
// emptied (ring.md §5).
#pragma once

#include "ring/layout.h"

namespace steno::live {

// The file that the session wrote last.
inline ring::LogIdentity log_of(const ring::SessionFile& session) {
  return {session.log_device, session.log_inode, session.log_owner};
}

// Whether what the session has released lies in another file than `found`. File systems use the number of a file that
// was removed again, so an empty file is another one whatever its number.
inline bool lies_elsewhere(const ring::SessionFile& session, const ring::LogIdentity& found, bool empty) {
  return empty || !log_of(session).is_same_file(found);
}

}  // namespace steno::live
