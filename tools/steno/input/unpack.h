// Logs that somebody has packed with gzip or zstd.
#pragma once

#include <string>

#include "base/mapped_file.h"

namespace steno::cli {

// The contents of a file that gzip or zstd has packed, in memory that is no file's (and that `ulimit -d` does not
// count); any other file as it is. The bytes say which it is, not the name. kCorrupt: it is damaged or cut short;
// kExhausted: what it contains is more than half of what this process may take, files unpacked earlier included;
// kUnsupported: this build has no such library.
Result<MappedFile> unpacked(const std::string& path, MappedFile file);

}  // namespace steno::cli
