// Counts how often a process has a file mapped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace steno::staging {

// How often the process with this number, as this process sees numbers, maps a file of that inode whose path ends with
// `name` (or did, before it was removed). 0 if there is no such process, or its mappings cannot be read. Costs a look
// through the list of its mappings.
int count_mappings(std::uint32_t pid, ino_t inode, std::string_view name);

}  // namespace steno::staging
