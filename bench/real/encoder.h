// Records of a ring to data blocks, without the rings, the thread and the file: walking and grouping them, and writing
// blocks, in one thread and in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "format/data_writer.h"
#include "real/stream.h"

namespace steno::bench {

struct EncodeScale {
  std::size_t records;
  std::size_t chunk;  // bytes of a ring a block
  std::size_t rounds;
};

// A record's cost, on average.
struct EncodeCost {
  double walk_ns = 0;
  double write_ns = 0;
  double bytes = 0;
};

// The records of a stream as they lie in a ring.
std::vector<std::byte> ring_bytes(Stream& stream, std::size_t records);
// Those of a log's first thread.
std::vector<std::byte> ring_bytes(const LogKind& kind, std::size_t records);
// Makes blocks of them: the least times of scale.rounds. The first blocks, in which the writer learns, do not count.
// Ends the program if there are no others.
EncodeCost encode(const std::vector<std::byte>& ring, const EncodeScale& scale, format::Effort effort);

}  // namespace steno::bench
