// Where staging is, and what its directories are called (ring.md §1).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ring/layout.h"
#include "steno/status.h"

namespace steno::staging {

// Random, never 0: session ids, names of directories.
std::uint64_t random_id();
// The name of a staging directory: `<pid>-<nonce>`.
std::string staging_name(std::uint32_t pid, std::uint64_t nonce);

// Where staging may be, in the order in which it is tried: `directory` if not empty, /dev/shm, $TMPDIR, /tmp.
std::vector<std::string> staging_roots(const std::string& directory);
// The directory in a root that has all staging of the calling user, made if need be. kPermissionDenied: somebody
// else's, or open to others. The caller closes the descriptor.
Result<int> open_user_directory(const std::string& root, bool make);
std::string user_directory(const std::string& root);
std::string user_directory(const std::string& root, uid_t user);
// Removes the files of a staging directory, `session` last, so that it is recognised as staging until it is gone; then
// the directory, then the marks that lead to it. Before that it marks `session` as being removed, for processes that
// find the rest (null: there is no session file, or its version is 0). If something cannot be removed, the session file
// stays too.
void remove_staging(int directory_fd, const std::string& path, ring::SessionFile* session);

}  // namespace steno::staging
