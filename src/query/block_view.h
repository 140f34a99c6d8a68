// One data block as questions see it: its groups, and of its columns those that are asked for, decoded at the first
// use.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/scratch.h"
#include "format/data_reader.h"
#include "reader/decoded_block.h"
#include "reader/log_file.h"
#include "text/value.h"

namespace steno::query {

struct ViewGroup {
  const reader::Site* site = nullptr;
  const reader::Logger* logger = nullptr;
  std::uint32_t records = 0;
  std::uint32_t columns = 0;
  std::uint32_t first_column = 0;  // among those of the block
};

// A column of strings in the form that is cheapest to ask.
struct StringColumn {
  bool coded = false;  // value i is distinct[codes[i]]; else strings[i]
  std::span<const std::string_view> distinct;
  std::span<const std::uint64_t> codes;
  std::span<const std::string_view> strings;

  std::string_view at(std::size_t i) const { return coded ? distinct[codes[i]] : strings[i]; }
};

// Reused from block to block; one a thread. Views the file. "Row" counts the records of a group, "record" those of the
// block. A part that cannot be decoded is empty; status() has the reason.
class BlockView {
 public:
  // Reads the directory. kCorrupt: it contradicts itself or the dictionary, or the block is damaged.
  Status open(const reader::LogFile& file, const reader::BlockEntry& entry,
              const reader::BlockPrefetch* prefetch = nullptr);
  // Opens a block likewise for a first look, to decide whether the block is worth reading (LogFile::peek_block).
  Status peek(const reader::LogFile& file, const reader::BlockEntry& entry);
  // Views a block without its bytes: of its functions those that tell of its entry, session and runs may be called.
  void name(const reader::LogFile& file, const reader::BlockEntry& entry);
  // Opens a block likewise, and takes over the columns that have been decoded. `block` must outlive the use.
  Status adopt(const reader::DecodedBlock& block);

  const reader::LogFile& file() const { return *file_; }
  const reader::BlockEntry& entry() const { return *entry_; }
  const reader::Session& session() const { return *session_; }
  const std::vector<ViewGroup>& groups() const { return groups_; }
  const format::DataBlock& data() const { return data_; }
  const Status& status() const { return status_; }
  Scratch& scratch() { return scratch_; }

  // Per record.
  std::span<const std::uint32_t> order();
  std::span<const std::int64_t> walls();
  std::span<const std::uint64_t> ticks();
  // The records of a group's rows. Empty with a single group: row i is record i.
  std::span<const std::uint32_t> records_of(std::size_t group);
  // The times of a group's rows.
  std::span<const std::int64_t> walls_of(std::size_t group);
  // Bounds of walls(), without decoding them. False: unknown, for the clock was set.
  bool wall_bounds(std::int64_t* first, std::int64_t* last) const;
  // Sets the rows of a group to 0 that repeat records of another run; true if there are any.
  bool drop_repeated(std::size_t group, std::span<std::uint8_t> keep);
  // Sets those rows of a group to 0 that are among the records begin .. end - 1.
  void clear_records(std::size_t group, std::uint32_t begin, std::uint32_t end, std::span<std::uint8_t> keep);
  bool has_repeated() const { return repeated_; }
  std::span<const reader::RunEntry> runs() const;
  const reader::Thread& thread_of(const reader::RunEntry& run) const;

  // The values of a group's rows; which function fits depends on the type (format::ColumnValues). Not for missing
  // columns.
  ArgType type_of(std::size_t group, std::size_t column) const;
  std::span<const std::uint64_t> ints(std::size_t group, std::size_t column);
  bool has_ints(std::size_t group, std::size_t column) const;  // decoded already
  // The values likewise, for those who look at them once: in `memory` where they are not decoded already.
  std::span<const std::uint64_t> ints(std::size_t group, std::size_t column, Scratch::Array<std::uint64_t>* memory);
  std::span<const std::uint8_t> wide(std::size_t group, std::size_t column);
  const StringColumn& strings(std::size_t group, std::size_t column);
  // The strings that the column has, if they are few and had without the rest. Empty: not so.
  std::span<const std::string_view> distinct(std::size_t group, std::size_t column);
  // Returns whether an integer column is written as one value for all; `*value` is that value.
  bool constant(std::size_t group, std::size_t column, std::uint64_t* value) const;
  // Says what DataBlock::column_zone says.
  bool zone(std::size_t group, std::size_t column, std::uint64_t* least, std::uint64_t* greatest) const;

  // One argument of one row, and all of them, out[0 .. columns), for printing.
  void value(std::size_t group, std::size_t column, std::size_t row, text::Value* out);
  void values(std::size_t group, std::size_t row, text::Value* out);
  // Returns whether the group's site is the protocol's own that reports drops, whose messages are made in another way.
  bool reports_drops(std::size_t group) const;

 private:
  struct Column {
    bool ints_done = false;
    bool strings_done = false;
    bool distinct_done = false;
    format::ColumnValues values;
    format::StringArena arena;  // of distinct
    std::vector<std::string_view> distinct;
    std::vector<std::uint64_t> codes;
    StringColumn strings;
  };

  Status start(const reader::LogFile& file, const reader::BlockEntry& entry, Result<format::DataBlock> data);
  Column& column(std::size_t group, std::size_t index);
  void release_excess();
  bool fail(Status status);
  bool decode(std::size_t group, std::size_t index, Column& column);
  void sort_rows();

  const reader::LogFile* file_ = nullptr;
  const reader::BlockEntry* entry_ = nullptr;
  const reader::Session* session_ = nullptr;
  format::DataBlock data_;
  Status status_;
  std::vector<ViewGroup> groups_;
  bool repeated_ = false;
  std::uint64_t decoded_bytes_ = 0;
  Scratch scratch_;

  std::span<const std::uint32_t> order_;
  std::span<const std::int64_t> walls_;
  bool rows_sorted_ = false;
  RawVector<std::uint32_t> own_order_;
  RawVector<std::uint64_t> own_ticks_;
  std::vector<std::int64_t> own_walls_;
  std::vector<std::uint32_t> row_records_;  // records of group 0, of group 1, ...
  std::vector<std::uint32_t> first_row_;
  std::vector<std::int64_t> group_walls_;
  std::size_t group_walls_of_ = SIZE_MAX;
  std::vector<std::unique_ptr<Column>> columns_;
  std::vector<std::uint8_t> columns_used_;
};

}  // namespace steno::query
