// Writes what a dead process left in its staging into its log file, and removes the staging (ring.md §5).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "staging/find_staging.h"
#include "steno/status.h"

namespace steno::logfile {
class SessionPacker;
}
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

// Recovers one staging directory. `output`: the file to write to, whichever it is. Empty: the session's log; the file
// at its path must be the one that the session wrote, or belong to the same owner or to the caller, or not exist yet
// (ring.md §5). Can be repeated after an interruption; several processes may try at the same time. kFailedPrecondition:
// its process is alive, or another process is recovering it. kNotFound: it is gone, for example because another process
// has just recovered it. kInvalidArgument: its records belong to no file; name one. kPermissionDenied: the existing
// file belongs to another user. Other codes are those of opening or writing the file; what was not written is still in
// the staging. `file_mode`: for a file that must be created. Once `*stop` is true it ends before the next block, as if
// interrupted: kFailedPrecondition. `sync`: force the file to the disk before the staging is removed. `sinks` receive
// what is written, once the file is open. `packer`: of sessions that were short and ended in order.
Result<Recovered> recover(const std::string& directory, const std::string& output = "", unsigned file_mode = 0600,
                          const std::atomic<bool>* stop = nullptr, bool sync = true,
                          const std::shared_ptr<sink::SinkSet>& sinks = nullptr,
                          logfile::SessionPacker* packer = nullptr);

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
