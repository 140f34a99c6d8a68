// The end block (file.md §8): what an orderly stop leaves, or a recovery, so that a reader can prove that nothing is
// missing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/block.h"
#include "steno/status.h"

namespace steno::format {

struct RingTotal {
  std::uint32_t ring = 0;
  std::uint64_t seq = 0;       // records of the ring in this session
  std::uint64_t position = 0;  // ring position after the last of them
  std::uint64_t dropped = 0;
};

struct EndBlock {
  std::uint64_t records = 0;  // in the session
  std::vector<RingTotal> rings;
  bool died = false;  // the process did: a recovery wrote this
};

void append_end_block(ByteBuffer& out, const EndBlock& end, SessionTag tag);

// `payload` is untrusted.
Result<EndBlock> parse_end_block(std::span<const std::uint8_t> payload);

}  // namespace steno::format
