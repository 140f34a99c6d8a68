// Parts of files that commands were writing when they were killed: `OUT.part-` and six letters or digits.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

namespace steno::cli {

// The permissions of a part while it is written: no other program sets the sticky bit of a file, so that a copy that
// somebody named like a part is not taken for one.
inline constexpr mode_t kPartMode = S_ISVTX | S_IRUSR | S_IWUSR;

// Removes the parts beside `path` that have this mode, are the user's, and that nobody writes. A sentence for each of
// them; and one for each file with such a name that may be a part, which stays: it does not say that it is one, or the
// file system has no locks, which would tell that somebody writes it. Files of `keep` are left alone, whatever their
// names; "-" is standard input.
std::vector<std::string> remove_old_parts(const std::string& path, const std::vector<std::string>& keep);

}  // namespace steno::cli
