// Blocks that are wanted soon, of files whose bytes come from afar: many are read at once, in few ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reader/log_file.h"

namespace steno::reader {

// For one thread at a time. Memory: the bytes of the last read().
class BlockPrefetch {
 public:
  // Reads these blocks of a file, which are in order, and what lies between neighbours; forgets what it had. Nothing of
  // a file whose bytes are here already.
  Status read(const LogFile& file, std::span<const BlockEntry* const> blocks);
  // The block's bytes, from its header on to the end of its payload. Empty: it was not read.
  std::span<const std::uint8_t> find(const LogFile& file, const BlockEntry& block) const;

 private:
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t at = 0;  // in bytes_
  };

  const LogFile* file_ = nullptr;
  std::vector<Range> ranges_;  // in order
  std::vector<std::uint8_t> bytes_;
};

}  // namespace steno::reader
