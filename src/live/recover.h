// Writes what a dead process left in its staging into its log file, and removes the staging (ring.md §5).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "staging/find_staging.h"
#include "steno/status.h"

namespace steno::sink {
class SinkSet;
}

namespace steno::live {

struct Recovered {
  std::string directory;
  std::string path;           // of the file
  std::uint64_t records = 0;  // that were not on file before
  std::uint64_t bytes = 0;    // that it grew by
};

// One staging directory. `output`: the file to write to, whatever it is; empty: the session's own, which must be the
// file that the session wrote, or another of the same owner's or ours at its path, or none yet (ring.md §5). Can be
// repeated when it was interrupted; any number may try at once. kFailedPrecondition: its process lives, or somebody
// else recovers it. kNotFound: it is gone, as when somebody else just did it. kInvalidArgument: its records have no
// file to go to; name one. kPermissionDenied: the file that is there is somebody else's. Else what opening or writing
// the file says: the staging is as it was, but for what is on file. `file_mode`: of a file that has to be made. Once
// `*stop` is true it ends before the next block, as if it had been interrupted: kFailedPrecondition. `sync`: whether
// the file is forced to the disk before the staging is removed. `sinks`: are shown what is written, once the file is
// open.
Result<Recovered> recover(const std::string& directory, const std::string& output = "", unsigned file_mode = 0600,
                          const std::atomic<bool>* stop = nullptr, bool sync = true,
                          const std::shared_ptr<sink::SinkSet>& sinks = nullptr);

// How far to look for what is to be recovered into a log.
enum class Search {
  kMarked,  // what is marked as the log's (ring.md §1.1), or has no log
  kAll,     // and what nothing leads to: remains of staging that was being made or removed
};
// All orphans of the calling user that log into the file at `path`, in the usual places and in `extra_roots`; and those
// hinted at, whose log that file is by another name. What fails is named in `problems`, staging that is marked as the
// log's and is another version's included; staging of processes that live is left alone, silently.
std::vector<Recovered> recover_for(const std::string& path, Search search, const std::vector<std::string>& extra_roots,
                                   const std::vector<staging::Hint>& hints, std::vector<std::string>* problems,
                                   unsigned file_mode = 0600, const std::atomic<bool>* stop = nullptr);

}  // namespace steno::live
