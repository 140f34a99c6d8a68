// Which records are wanted: what the commands' filters are to the reader.
#pragma once

#include <cstdint>
#include <span>

#include "reader/decoded_block.h"
#include "reader/log_file.h"
#include "steno/status.h"

namespace steno::reader {

// Thread-safe: const, and called from several threads for different blocks at once.
class RowFilter {
 public:
  virtual ~RowFilter() = default;

  // Returns whether a block can have any wanted record, by its header, directory, dictionary and zones, without
  // decoding a column. True if in doubt.
  virtual bool may_match(const LogFile& file, const BlockEntry& block) const = 0;

  // Sets keep[i] to 0 for each record i of the block that is not wanted; what is 0 already may be left unlooked at.
  // `keep` has one byte a record, in the order of the block. kCorrupt: what it has to look at cannot be decoded, so
  // nobody knows; `keep` means nothing.
  [[nodiscard]] virtual Status select(const DecodedBlock& block, std::span<std::uint8_t> keep) const = 0;
};

}  // namespace steno::reader
