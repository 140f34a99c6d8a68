// Which staging there is, and which of it belongs to a log.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "staging/foreign_staging.h"

namespace steno::staging {

// "<pid>-<16 hex digits>".
bool is_staging_name(std::string_view name);

// Whose staging is looked for. What belongs to others is not even opened where it is not asked for.
enum class Whose {
  kOwn,  // the calling user's
  kAll,  // for root everybody's, a bounded number of each other user's; for others their own
};
// Where staging may be: the usual roots (staging_roots), $STENO_STAGING and `extra_roots`. Each once, in order.
std::vector<std::string> all_roots(const std::vector<std::string>& extra_roots);
// Staging directories in the usual roots (staging_roots) and in `extra_roots`. In order of path. Costs a listing
// of each root and user.
std::vector<std::string> find_staging(Whose whose, const std::vector<std::string>& extra_roots = {});

// The number of a process, as people write it: digits only, else nullopt. 0, which no process has: it is too large.
std::optional<std::uint32_t> parse_process_number(std::string_view text);
// The staging of the process with this id, of any user (Whose::kAll). The directory may have been created and named by
// another process (ring.md §1.6); one that cannot be read is judged by its name. Numbers are used again: where one
// belongs to a process that lives, what dead ones with it have left is not meant. Opens every session file.
std::vector<std::string> find_staging_of_process(std::uint32_t pid, const std::vector<std::string>& extra_roots = {});

// The staging directory of one of a file's sessions, according to the file. Files are untrusted.
struct Hint {
  std::string directory;
  std::uint64_t session_id = 0;
};
// The staging that is marked as belonging to the log at `path` (ring.md §1.1), and that which is hinted at, as far as
// it is named like staging: to be opened and judged. Finds staging of the calling user; for root, of the file's owner
// too. In order of path. Costs no more for staging of other logs.
std::vector<std::string> find_staging_of(const std::string& path, const std::vector<Hint>& hints,
                                         const std::vector<std::string>& extra_roots = {});
// For recovery: of the calling user alone, and with what has no log (yet). Forgets marks of what is gone.
std::vector<std::string> find_orphans_of(const std::string& path, const std::vector<Hint>& hints,
                                         const std::vector<std::string>& extra_roots = {});

// Returns whether the staging is marked as that of the log at `path`: this is all that is known of staging of another
// version, which cannot be read.
bool is_marked(const std::string& directory, const std::string& path);

// Returns whether the session logs into the file at `path`, whichever way either is spelt.
bool logs_into(const ring::SessionFile& session, const std::string& path);
// Returns whether this staging may contribute records to the file at `path`. Root sees the staging of all users and
// must not accept just any.
bool may_speak_for(const ForeignStaging& view, const std::string& path);
// Returns whether the file at `path` hints at the session: a file that has been renamed still knows its sessions. A
// copy knows them too, but does not count: the log itself is where the session says, and another file.
bool is_hinted(const ring::SessionFile& session, const std::vector<Hint>& hints, const std::string& path);

}  // namespace steno::staging
