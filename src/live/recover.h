// Writes what a dead process left in its staging into its log file, and removes the staging (ring.md §5).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/staging_view.h"
#include "steno/status.h"

namespace steno::live {

struct Recovered {
  std::string directory;
  std::string path;           // of the file
  std::uint64_t records = 0;  // that were not on file before
  std::uint64_t bytes = 0;    // that it grew by
};

// One staging directory. `output`: the file to write to; empty: the session's own. Can be repeated when it was
// interrupted; any number may try at once.
// kFailedPrecondition: its process lives, or somebody else recovers it. kNotFound: it is gone, as when somebody else
// just did it. kInvalidArgument: its records have no file to go to; name one. Else what opening or writing the file
// says: the staging is as it was, but for what is on file. `file_mode`: of a file that has to be made.
Result<Recovered> recover(const std::string& directory, const std::string& output = "", unsigned file_mode = 0600);

// All orphans that log into the file at `path`, in the usual places and in `extra_roots`, and those hinted at, into
// that file. What fails is told by `problems`; staging of processes that live is left alone, silently.
std::vector<Recovered> recover_for(const std::string& path, const std::vector<std::string>& extra_roots,
                                   const std::vector<Hint>& hints, std::vector<std::string>* problems,
                                   unsigned file_mode = 0600);

}  // namespace steno::live
