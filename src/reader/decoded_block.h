// A data block decoded into columns, read by index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/data_reader.h"
#include "reader/log_file.h"
#include "text/value.h"

namespace steno::reader {

// One group of the block: a site with one logger.
struct DecodedGroup {
  const Site* site = nullptr;
  const Logger* logger = nullptr;
  const text::Printer* printer = nullptr;  // nullptr: site->problem() says why
  std::uint32_t first_value = 0;           // its columns in DecodedBlock::columns_
  std::uint32_t columns = 0;               // 0 as well where they were not asked for
  bool drops = false;                      // records that tell of drops; their second value is a wall-clock time
};

// What of a block to decode.
struct DecodeOptions {
  Level min_level = Level::kTrace;  // columns of lower levels are left out
  bool values = true;               // false: order and clocks only
};

// Reused from block to block: decode() keeps its memory, up to a limit. Views the file.
class DecodedBlock {
 public:
  // What the values of one block may take decoded: a few bytes of constant or compressed columns can ask for any
  // amount. Blocks of a scribe, whose records are 2^25 bytes of rings at the most, stay below half of it.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 29;
  // Kept from one block for the next.
  static constexpr std::uint64_t kMostKept = std::uint64_t{1} << 27;

  // kCorrupt: the content contradicts itself although the checksum holds.
  Status decode(const LogFile& file, const BlockEntry& entry, const DecodeOptions& options);

  const LogFile& file() const { return *file_; }
  const BlockEntry& entry() const { return *entry_; }
  const Session& session() const { return *session_; }
  std::uint32_t records() const { return entry_->records; }

  // Of record i, in the order of the block.
  const DecodedGroup& group(std::uint32_t i) const { return groups_[order_[i]]; }
  std::uint64_t ticks(std::uint32_t i) const { return clocks_[i]; }
  std::int64_t wall(std::uint32_t i) const { return walls_[i]; }
  // What the merge compares; see ClockMap::merge_key.
  std::int64_t key(std::uint32_t i) const { return keys_[i]; }
  // Fills out[0 .. group(i).columns).
  void values(std::uint32_t i, text::Value* out) const {
    const DecodedGroup& g = group(i);
    const std::uint32_t row = rows_[i];
    for (std::uint32_t c = 0; c < g.columns; ++c) {
      const Column& column = columns_[g.first_value + c];
      out[c].type = column.type;
      if (column.ints != nullptr) {
        out[c].bits = column.ints[row];
      } else if (column.strings != nullptr) {
        out[c].string = column.strings[row];
      } else {
        out[c].wide = column.wide + std::size_t{row} * 16;
      }
    }
  }

 private:
  struct Column {
    ArgType type = ArgType::kI32;
    const std::uint64_t* ints = nullptr;
    const std::string_view* strings = nullptr;
    const std::uint8_t* wide = nullptr;
  };

  Status decode_order(const format::DataBlock& data);
  Status decode_groups(const format::DataBlock& data, const DecodeOptions& options);
  void date_drops(DecodedGroup& group);
  void release_excess();
  Status add_bytes(std::size_t bytes);
  Status decode_column(const format::DataBlock& data, std::size_t group, std::size_t index, ArgType type);

  const LogFile* file_ = nullptr;
  const BlockEntry* entry_ = nullptr;
  const Session* session_ = nullptr;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> rows_;  // which value of its group's columns
  std::vector<std::uint64_t> clocks_;
  std::vector<std::int64_t> walls_;
  std::vector<std::int64_t> own_keys_;
  const std::int64_t* keys_ = nullptr;
  std::vector<DecodedGroup> groups_;
  std::vector<Column> columns_;
  std::vector<format::ColumnValues> values_;  // memory of columns_
  std::size_t values_used_ = 0;
  std::vector<std::uint32_t> group_sizes_;
  std::uint64_t decoded_bytes_ = 0;
};

}  // namespace steno::reader
