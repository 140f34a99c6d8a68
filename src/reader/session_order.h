// The order of the sessions of several files: which of them counts first where records have one time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reader/log_set.h"

namespace steno::reader {

struct SessionInFile {
  std::size_t file;  // place in LogSet::files()
  const Session* session;
  std::uint64_t before = 0;  // records of the session that lie in other files, as this one says: later files say more
};

// All sessions in the order in which they began, in whatever order files are named: a program that begins another file
// or starts anew goes on in another session, and records of one tick stay as they were logged. Of a session that is in
// several files, the file with its first records comes first. Sessions that began together are in the order of files.
std::vector<SessionInFile> sessions_in_order(const LogSet& logs);

}  // namespace steno::reader
