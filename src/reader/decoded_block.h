// A data block decoded into columns, read by index.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "format/data_reader.h"
#include "format/data_writer.h"
#include "reader/log_file.h"
#include "text/string_shapes.h"
#include "text/value.h"

namespace steno::reader {

// One group of the block: a site with one logger.
struct DecodedGroup {
  const Site* site = nullptr;
  const Logger* logger = nullptr;
  const text::Printer* printer = nullptr;  // nullptr: site->problem() says why
  std::uint32_t first_column = 0;          // among those of the block
  std::uint32_t columns = 0;               // 0 as well where they were not asked for
  bool drops = false;                      // records that report drops; their second value is a wall-clock time
};

// The parts of a block to decode.
struct DecodeOptions {
  Level min_level = Level::kTrace;  // columns of lower levels are left out
  bool values = true;               // false: order and clocks only
  bool packed_strings = false;      // columns of strings may have codes or shapes (text::Column); one of a group at
                                    // most has several shapes
};

// Reused from block to block: it keeps its memory, up to a limit. Views the file.
//
// decode() does all; the steps it is made of are for those who may do without the later ones. Const members are
// thread-safe between the steps.
class DecodedBlock {
 public:
  // Kept from one block for the next.
  static constexpr std::uint64_t kMostKept = std::uint64_t{1} << 27;

  // Every step: kCorrupt if the content contradicts itself although the checksum holds.
  Status decode(const LogFile& file, const BlockEntry& entry, const DecodeOptions& options);

  // The memory that values of a block which are decoded from here on may take, if that is less than what
  // ReadLimits::decoded_bytes of the file allows: a few bytes of constant or compressed columns can ask for any amount.
  // Blocks of a scribe, whose records are 2^25 bytes of rings at the most, stay below half of its default.
  void set_most_bytes(std::uint64_t bytes) { most_bytes_ = bytes; }

  // 1: the directory, and ticks().
  Status decode_clocks(const LogFile& file, const BlockEntry& entry);
  // 2: order, groups and walls; no columns yet.
  Status decode_order();
  // 3: the columns of groups that are `wanted` (one entry a group, not 0); the others then have none.
  Status decode_columns(std::span<const std::uint8_t> wanted, bool packed_strings = false);

  // In place of all steps: the values of records that lie in memory, walked and grouped, as of `offset` in the
  // session's dictionary. Views them. Such a block has no file().
  void gather(const Session& session, const format::BlockInput& input, std::uint64_t offset);

  const LogFile& file() const { return *file_; }
  const BlockEntry& entry() const { return *entry_; }
  const Session& session() const { return *session_; }
  std::uint32_t records() const { return entry_->records; }

  // Columns, one entry a record: the index of its group among those of the block's directory, and its time.
  std::span<const std::uint32_t> order() const { return order_; }
  std::span<const std::int64_t> walls() const { return walls_; }
  std::span<const std::uint64_t> all_ticks() const { return clocks_; }
  const std::vector<DecodedGroup>& groups() const { return groups_; }

  // The group of record i, in the order of the block.
  const DecodedGroup& group(std::uint32_t i) const { return groups_[group_index(i)]; }
  std::uint32_t group_index(std::uint32_t i) const { return one_group_ ? 0 : order_[i]; }
  std::uint64_t ticks(std::uint32_t i) const { return clocks_[i]; }
  std::int64_t wall(std::uint32_t i) const { return walls_[i]; }
  // Its number in its ring, from 0. Logarithmic in the number of runs.
  std::uint64_t sequence(std::uint32_t i) const;
  // Which value of its group's columns is of record i.
  std::uint32_t row(std::uint32_t i) const { return one_group_ ? i : rows_[i]; }
  // The columns of a group, group.columns of them.
  const text::Column* columns(const DecodedGroup& group) const { return columns_.data() + group.first_column; }
  // Fills out[0 .. group(i).columns).
  void values(std::uint32_t i, text::Value* out) const {
    const DecodedGroup& g = group(i);
    for (std::uint32_t c = 0; c < g.columns; ++c) columns_[g.first_column + c].get(row(i), &out[c]);
  }

  // For those who jump about: what of record i to fetch first, and what can be fetched once that is there. Inlined in
  // any case: GCC takes a function that only fetches for one that does nothing, and leaves out the call.
  [[gnu::always_inline]] void prefetch(std::uint32_t i) const {
    __builtin_prefetch(walls_.data() + i);
    if (one_group_) return;
    __builtin_prefetch(order_.data() + i);
    __builtin_prefetch(rows_.data() + i);
  }
  [[gnu::always_inline]] void prefetch_values(std::uint32_t i) const {
    const DecodedGroup& g = group(i);
    for (std::uint32_t c = 0; c < g.columns; ++c) columns_[g.first_column + c].prefetch(row(i));
  }

  // How many values are in no dictionary that is left (file.md §12), in all columns that were decoded, those with
  // packed strings left out.
  std::uint64_t missing_strings() const;

  // The bytes that it keeps allocated, about.
  std::size_t bytes_held() const;

 private:
  void begin_block();
  void count_rows(std::size_t groups);
  void date_drops(DecodedGroup& group);
  void gather_column(const format::BlockInput& input, const format::Group& group, const Site& site, std::size_t index);
  Status add_bytes(std::size_t bytes);
  std::uint64_t greatest_of(std::size_t group, std::size_t index, ArgType type,
                            std::span<const std::uint64_t> ints) const;
  bool is_large(std::size_t records) const;
  format::ColumnValues& next_values();
  Status decode_column(std::size_t group, std::size_t index, ArgType type, format::PackedStrings packed,
                       text::Column* column);
  Status view_strings(format::ColumnValues& values, std::size_t records, text::Column* column);
  const text::StringShapes* view_shapes(format::ShapedStrings& shaped);

  std::unique_ptr<Arena> arena_ = std::make_unique<Arena>();  // of the vectors below; where it is they know
  const LogFile* file_ = nullptr;
  const BlockEntry* entry_ = nullptr;
  const Session* session_ = nullptr;
  BlockEntry gathered_;  // entry_ of gather()
  std::vector<RunEntry> gathered_runs_;
  format::DataBlock data_;
  RawVector<std::uint32_t> order_;
  RawVector<std::uint32_t> rows_;  // empty with one group
  bool one_group_ = false;
  RawVector<std::uint64_t> clocks_;
  RawVector<std::int64_t> walls_;
  std::vector<DecodedGroup> groups_;
  std::vector<text::Column> columns_;
  std::vector<format::ColumnValues> values_;  // memory of columns_
  std::size_t values_used_ = 0;
  std::vector<std::unique_ptr<text::StringShapes>> shapes_;  // of columns_
  std::vector<std::uint32_t> group_sizes_;
  std::vector<std::uint32_t> payloads_;  // of gather(): where in its record each one's next string is
  std::uint64_t decoded_bytes_ = 0;
  std::uint64_t most_bytes_ = UINT64_MAX;
};

}  // namespace steno::reader
