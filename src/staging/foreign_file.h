// Files of a staging directory that somebody else may own and change.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace steno::staging {

// A file of the directory that is its owner's, and regular; nothing that only looks like one, and nothing to wait for.
// -1 with errno: EPERM where it is not that.
int open_staging_file(int directory_fd, uid_t owner, const char* name, int flags);

// How many bytes of a file of another user are worth reading: what is not there costs its owner nothing, so a file
// whose size is far beyond the space that it takes is read as far as that goes. Generous, as file systems compress.
std::uint64_t bytes_worth_reading(std::uint64_t size, std::uint64_t allocated);

}  // namespace steno::staging
