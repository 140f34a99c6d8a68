// Compresses a text with zstd.
#pragma once

#include <cstddef>
#include <string>

namespace steno::bench {

struct Compressed {
  std::size_t lines = 0;
  std::size_t bytes = 0;
};

// Compresses the first `most` bytes of the file, to the end of a line, in one stream and by one thread. Ends the
// program where that fails.
Compressed compress_text(const std::string& path, int level, std::size_t most);

}  // namespace steno::bench
