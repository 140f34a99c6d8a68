// Columns of integers, floats and everything else of at most 8 bytes (file.md §9.1): a codec byte, a zone, the codec's
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/ints/codec.h"
#include "steno/status.h"

namespace steno::format {

enum class IntHint {
  kAny,      // look at a sample and choose
  kOffsets,  // frame of reference will do, or their entropy: indices, lengths
  kDeltas,   // values that grow: the same of their differences
};

// Appends a column with the cheapest codec for its values. Requires source.count >= 1.
void encode_ints(const IntSource& source, IntHint hint, IntScratch& scratch, ByteBuffer& out);

enum class IntsResult {
  kRead,
  kDamaged,  // or a codec that is not known
  kOutside,  // it states a zone that does not hold all of its values
};

// Reads an untrusted column of n >= 1 values, each extended to 64 bits as its type wants. Columns may contain columns;
// `depth` is how many this one is within.
[[nodiscard]] IntsResult read_ints(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out);
// Reads a column likewise, for those who need not know what is wrong.
[[nodiscard]] bool decode_ints(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out);

// The zone of an untrusted column without decoding it: a claim, good for skipping the column, until the column has been
// read. False: it has none.
[[nodiscard]] bool read_zone(ByteReader in, IntType type, std::size_t n, Zone* zone);

// Cuts n >= kZonedColumn values to their type's width. False: not all of them lie in the zone then.
[[nodiscard]] bool cut_to_zone(const Zone& zone, IntType type, std::size_t n, std::uint64_t* values);

// The column of integers (kTypeI64) that an untrusted column of decimals is made of, if all of its values are such:
// value i is integer i / 10^exponent. False: it is of another kind.
[[nodiscard]] bool open_decimals(ByteReader in, unsigned* exponent, ByteReader* integers);

// A value of a column, and where it is.
struct PlacedValue {
  std::uint32_t row;
  std::uint64_t value;
};

// Appends where an untrusted column of n values, entropy coded as they are, has one that is among `wanted`, which are
// few, in ascending order; all others are passed over, and not held against the zone. False: it is of another kind, or
// damaged, or has more than `most` of them.
[[nodiscard]] bool find_values(ByteReader in, IntType type, std::size_t n, std::span<const std::uint64_t> wanted,
                               std::size_t most, std::vector<PlacedValue>* found);

}  // namespace steno::format
