// General compressors, and memcpy as the one that does nothing, each at its levels, in one thread and in one stream.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace steno::bench {

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void begin() = 0;
  // Takes the next bytes of the stream, writes what comes out of them at `out`, and returns how much that is. `last`
  // ends the stream. Ends the program where that fails.
  virtual std::size_t add(std::span<const char> in, bool last, std::span<char> out) = 0;
};

struct NamedCompressor {
  std::string family;  // "gzip"
  std::string name;    // "gzip -6"
  std::unique_ptr<Compressor> compressor;
};

// They are memcpy, snappy and gzip -1, -6 and -9 if these are here, and zstd -1, -3, -9 and -19.
std::vector<NamedCompressor> make_compressors();

struct Compression {
  double bytes_per_second = 0;  // of the input
  double ratio = 0;             // of output to input
};

// Compresses `in` by pieces, and stops after the piece in which `seconds` are over: the rest would give the same. It
// repeats what takes less, up to `rounds` times, and the fastest counts.
Compression compress(Compressor& compressor, std::span<const char> in, double seconds, int rounds);

}  // namespace steno::bench
