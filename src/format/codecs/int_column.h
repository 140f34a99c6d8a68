// Columns of integers, floats and everything else of at most 8 bytes (file.md §9.1): a codec byte, a zone, the codec's
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "format/codecs/int_codec.h"
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
// The same, for those who need not know what is wrong.
[[nodiscard]] bool decode_ints(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out);

// The zone of an untrusted column without decoding it: a claim, good for skipping the column, until the column has been
// read. False: it has none.
[[nodiscard]] bool read_zone(ByteReader in, IntType type, std::size_t n, Zone* zone);

// An untrusted column of n u64 whose zone says that they fit into 32 bits, if it is packed in a way that has them in
// few instructions: some at a time, for who looks at each once.
class NarrowInts {
 public:
  // False: it is not of that kind, or damaged.
  [[nodiscard]] bool open(const ByteReader& in, std::size_t n);
  // How many are left, and `count` of those, no more, in `out`: a multiple of kMiniBlock, or all that are left. False:
  // it is damaged, or not of that kind after all.
  std::size_t left() const { return left_; }
  [[nodiscard]] bool next(std::size_t count, std::uint32_t* out);
  // After the last of them.
  bool at_end() const { return in_.at_end(); }

 private:
  ByteReader in_;
  std::size_t left_ = 0;
  Zone zone_;
  std::uint64_t divisor_ = 1;
  std::uint64_t base_ = 0;
};

}  // namespace steno::format
