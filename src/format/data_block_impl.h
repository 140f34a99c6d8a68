// The contents of a DataBlock: data_directory.cc fills it, data_reader.cc decodes columns from it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/data_reader.h"
#include "format/ints/column.h"
#include "format/rows.h"
#include "format/strings/codec.h"

namespace steno::format {

inline Status corrupt_columns(const std::string& what) {
  return Status(StatusCode::kCorrupt, "columns block: " + what);
}

struct DataBlock::Impl {
  using Bytes = std::span<const std::uint8_t>;

  // A column that the groups of a stack share. It is decoded as a whole when the first of the groups is needed.
  struct Stacked {
    std::once_flag once;
    ArgType type{};
    IntsResult result = IntsResult::kDamaged;
    ColumnValues values;
  };
  struct Stack {
    std::uint32_t records = 0;
    std::uint32_t first_column = 0;                       // index into columns
    std::unique_ptr<std::unique_ptr<Stacked>[]> columns;  // of those that were needed
  };

  std::unique_ptr<std::uint8_t[]> kept;  // what the views below are of, if that is ours
  std::uint32_t records = 0;
  std::uint64_t min_clock = 0;
  std::uint64_t max_clock = 0;
  std::array<std::uint64_t, kLevelCount> levels{};
  std::vector<Run> runs;
  std::vector<GroupView> groups;
  std::vector<std::uint32_t> first_column;  // per group, index into columns
  std::vector<Bytes> columns;
  std::vector<Stack> stacks;
  static constexpr std::uint32_t kNoStack = UINT32_MAX;
  std::vector<std::uint32_t> stack_of;     // per group; kNoStack. Empty: no group is in one
  std::vector<std::uint32_t> first_value;  // per group: where its values begin in the columns of its stack
  mutable std::atomic<std::uint64_t> stacked_bytes{0};
  mutable std::mutex stacked_mutex;  // of Stack::columns
  Bytes order;
  Bytes clock;
  bool is_rows = false;
  std::vector<std::uint64_t> redacted;  // columns of sites, as column_key(), in order
  const SharedDictionaries* shared = nullptr;
  const std::uint8_t* end = nullptr;  // of the columns
  RowsBlock rows;                     // the rest of it has moved to the members above

  Status parse_columns(Bytes payload);
  Status parse_directory(ByteReader in, std::uint32_t run_count, std::uint32_t group_count, Bytes body);
  bool read_group(std::uint64_t site, ByteReader& in, std::vector<std::uint32_t>* lengths);
  bool read_stack(std::uint32_t most, ByteReader& in, std::vector<std::uint32_t>* lengths);
  Status take_rows(RowsBlock block);
  void find_redacted(const LayoutSource& layouts);
  static std::uint64_t column_key(std::uint32_t site, std::size_t column) { return std::uint64_t{site} << 32 | column; }
  bool is_redacted(std::size_t group, std::size_t column) const {
    return !redacted.empty() && group < groups.size() &&
           std::binary_search(redacted.begin(), redacted.end(), column_key(groups[group].site, column));
  }
  StringPlace place() const { return {.shared = shared, .readable = end}; }
  // nullptr unless there is such a column in a columns block.
  const Bytes* column(std::size_t group, std::size_t column) const;
  // nullptr: the group is in no stack.
  const Stack* stack(std::size_t group) const;
  Stacked& stacked(const Stack& from, std::size_t column) const;
  // Decodes a column of a group that is in no stack.
  IntsResult decode(std::size_t group, std::size_t column, ArgType type, PackedStrings packed,
                    ColumnValues* values) const;
  Status copy_stacked(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const;
  Status copy_row_column(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const;
};

}  // namespace steno::format
