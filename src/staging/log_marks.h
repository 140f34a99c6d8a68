// Finds the staging of a log by names alone (ring.md §1.1): `by-log/<key>/<name>` in the user's directory is a link to
// the staging directory `<name>` there. A mark is only a hint: readers must check what they find.
#pragma once

#include <string>
#include <vector>

namespace steno::staging {

// The key of staging whose session has no log yet, or could not be marked with that of its log.
inline constexpr char kNoLog[] = "none";

// The keys of a log: of its path made absolute, and of what that resolves to now, if it is another. The file need not
// exist. Costs a realpath().
std::vector<std::string> log_keys(const std::string& path);

// The path that a path resolves to now; of a file that does not exist, its directory is resolved. Absolute, unless
// there is no current directory.
std::string resolved_log(const std::string& path);

// Where the marks of a key are, in the directory of a user (user_directory).
std::string mark_directory(const std::string& user_directory, const std::string& key);

// Marks the staging directory at a path, which exists; that it is marked already is fine. False: it could not be.
bool add_mark(const std::string& staging, const std::string& key);
// Only after the staging directory, or once another mark leads there.
void remove_mark(const std::string& staging, const std::string& key);

}  // namespace steno::staging
