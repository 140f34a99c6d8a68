// Codecs of integer columns (file.md §9.1): one file each, behind the same three functions, and their registry.
//
// To add one: a new id in file.md and codec_id.h, a file with its IntCodec, and a line in the registry (column.cc).
// Mini-blocks stand alone, so that a function that fetches a single value can be added beside `decode`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/codec_id.h"
#include "format/ints/entropy.h"
#include "format/ints/mini_block.h"
#include "format/ints/source.h"
#include "format/known_columns.h"

namespace steno::format {

// Columns of fewer values are packed without analysis.
inline constexpr std::size_t kShortColumn = 64;
// From this many values on, a column starts with its least and greatest.
inline constexpr std::size_t kZonedColumn = 256;
// An estimate: the codec is not for these values.
inline constexpr std::size_t kNoFit = SIZE_MAX;

// Least and greatest value of a column, in the order of its type.
struct Zone {
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;
};

// Up to three mini-blocks of a column, from which codecs estimate.
struct IntSample {
  static constexpr std::size_t kWindows = 3;

  IntType type;
  std::size_t count = 0;    // of the column
  std::size_t sampled = 0;  // values in the windows
  std::size_t windows = 0;
  std::size_t sizes[kWindows] = {};
  Divisor of_values;
  Divisor of_deltas;
  // The windows, padded; the one that suits the type is filled.
  alignas(64) std::uint32_t narrow[kWindows][kMiniBlock];
  alignas(64) std::uint64_t wide[kWindows][kMiniBlock];

  // `bytes` of the sample, scaled to the column.
  std::size_t scale(std::size_t bytes) const { return bytes * count / sampled; }
};

struct IntCodec;

// The codecs that suited the column of an argument, or a part of it, in the blocks before: most columns are alike from
// block to block, and to estimate what each codec would take costs as much as to encode. So the one that won is taken
// again, if its own estimate has not grown by much, and all of them are looked at every kTerm columns. Entropy codes
// are taken again without an estimate: the column that they make says whether they still suit.
struct KnownInts {
  static constexpr unsigned kTerm = 8;

  const IntCodec* packed = nullptr;  // of those that pack; nullptr: not known
  double packed_bytes = 0;           // a value, when it was chosen
  unsigned packed_term = 0;          // columns until all are looked at again
  EntropyChoice entropy;
  std::uint64_t entropy_base = 0;
  double entropy_bytes = 0;   // planned a value, of the column that it was chosen for
  unsigned entropy_term = 0;  // columns until others are looked at
  Patience entropy_patience{3};

  void forget() { *this = KnownInts(); }
};

// Memory that encoders share and keep. One per writer.
struct IntScratch {
  MiniBlockEncoder mini_block;
  IntSample sample;
  // The values that a codec makes of its column and encodes as another column.
  std::vector<std::uint32_t> codes;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> integers;
  std::vector<std::uint64_t> exceptions;
  std::vector<std::uint32_t> slots;  // a hash table
  unsigned exponent = 0;             // that decimal's estimate chose
  EntropyScratch entropy;
  // The number by which the argument that is encoded is known from one block to the next, 0: none; and how many columns
  // of integers it has had in this block.
  std::uint64_t column = 0;
  std::uint64_t part = 0;
  KnownColumns<KnownInts, 512> known;
  bool quick = false;     // the codec that takes the longest is left out ...
  bool left_out = false;  // ... where it would have been tried
};

struct IntCodec {
  CodecId id;
  const char* name;
  // About how many bytes the column will take, or kNoFit.
  std::size_t (*estimate)(const IntSample& sample, IntScratch& scratch);
  // Appends the column, codec byte and zone not included, and sets *zone. False: the values do not fit after all; what
  // was appended is the caller's to cut off. Requires that `estimate` of the same sample came before and said that it
  // fits, or, of entropy codes, that EntropyScratch has what that would choose.
  bool (*encode)(const IntSource& source, const IntSample& sample, IntScratch& scratch, Zone* zone, ByteBuffer& out);
  // Reads n >= 1 untrusted values. `depth` counts columns within columns. False: damaged.
  bool (*decode)(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out);
};

// The columns that are encoded from here on are those of another argument.
inline void begin_ints(IntScratch& scratch, std::uint64_t column) {
  scratch.column = column;
  scratch.part = 0;
}

extern const IntCodec kRawCodec;
extern const IntCodec kConstantCodec;
extern const IntCodec kFrameOfReferenceCodec;
extern const IntCodec kDeltaCodec;
extern const IntCodec kDictionaryCodec;
extern const IntCodec kDecimalCodec;
extern const IntCodec kEntropyCodec;

// The way of columns below kShortColumn values: no sample, no mini-blocks; a constant, decimals, or a frame of
// reference packed sequentially. Appends all of the column.
void encode_short_ints(const IntSource& source, IntScratch& scratch, ByteBuffer& out);
// Appends a short column likewise, if the values (bits of floats) are decimals of few digits; false, and nothing
// appended, if not.
bool encode_short_decimals(const std::uint64_t* bits, std::size_t n, IntType type, IntScratch& scratch,
                           ByteBuffer& out);

// find_values() (column.h) from after the zone of an entropy coded column.
struct PlacedValue;
bool find_entropy_values(ByteReader& in, std::size_t n, std::span<const std::uint64_t> wanted, std::size_t most,
                         std::vector<PlacedValue>* found);
// The decoder of kEntropyCodec.
bool decode_entropy(ByteReader& in, IntType type, std::size_t n, unsigned depth, std::uint64_t* out);

// Appends the bytes that follow the codec byte of a constant column. `value` is extended.
void put_constant(IntType type, std::uint64_t value, ByteBuffer& out);

std::span<const IntCodec* const> int_codecs();
// nullptr: no such codec.
const IntCodec* find_int_codec(std::uint8_t id);

// The sign bit of signed types: what `^` makes their order that of unsigned integers.
template <class Lane>
constexpr Lane order_flip(IntType type) {
  return type.is_signed ? static_cast<Lane>(Lane{1} << (sizeof(Lane) * 8 - 1)) : Lane{0};
}

// Widens a zone by another one of the same type.
inline void widen_zone(Zone* zone, IntType type, std::uint64_t least, std::uint64_t greatest) {
  const auto flip = order_flip<std::uint64_t>(type);
  if ((least ^ flip) < (zone->least ^ flip)) zone->least = least;
  if ((greatest ^ flip) > (zone->greatest ^ flip)) zone->greatest = greatest;
}

// All values of a column, at least one, each extended, and their extent.
void collect(const IntSource& source, std::uint64_t* values, Zone* zone);

}  // namespace steno::format
