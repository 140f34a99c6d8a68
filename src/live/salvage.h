// Reads the records that wait in staging for the file at a path, as blocks in memory: nothing is changed, and no
// process is asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "staging/find_staging.h"
#include "steno/status.h"

namespace steno::live {

// One session's part that is not on file: a session block, clock points, dictionary, data; of a dead one an end block.
struct Salvage {
  std::string directory;
  std::uint64_t session_id = 0;
  staging::State state = staging::State::kOrphan;
  bool ended = false;  // its end block was on file, unless another session has just begun
  std::uint64_t records = 0;
  ByteBuffer blocks;
};

// Salvages one staging directory. kNotFound: it is gone by now (its records are on file), or nothing was logged in it
// yet. Look at the file afterwards, not before: what is released meanwhile is there. `beside`: the path of that file;
// if it is not the one that the session wrote, the session block says so. Empty: it is.
Result<Salvage> salvage(const std::string& directory, const std::string& beside = "");

// Returns whether the process has begun another session since: the file may then have the same records in that one.
// Call it after reading the file; if it returns true, salvage and read again.
bool overtaken(const Salvage& salvage);

// Salvages all staging that logs into the file at `path`, or that is hinted at. What cannot be read is named in
// `problems`: also what is marked as the log's and is another version's.
std::vector<Salvage> salvage_for(const std::string& path, const std::vector<staging::Hint>& hints,
                                 std::vector<std::string>* problems);

}  // namespace steno::live
