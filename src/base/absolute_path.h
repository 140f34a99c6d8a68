// Paths that stay right where a process changes its directory.
#pragma once

#include <string>

namespace steno {

// From the working directory; as it is where it is absolute or empty, or where that directory is gone.
std::string absolute_path(const std::string& path);

}  // namespace steno
