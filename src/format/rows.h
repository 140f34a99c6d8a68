// Rows blocks (file.md §7): few records, one after another. A slow log is written as these.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/data_reader.h"
#include "format/data_writer.h"

namespace steno::format {

// Appends the block, framed. `cursors` is scratch memory.
void append_rows_block(const BlockInput& input, SessionTag session_tag, std::vector<std::uint32_t>& cursors,
                       ByteBuffer& out);

// A rows block, taken apart into what a columns block would have held. Views the payload.
struct RowsBlock {
  // One argument of one group. Which vector is filled depends on its type; 16-byte values are pointers to them.
  struct Column {
    ArgType type{};
    std::vector<std::uint64_t> ints;
    std::vector<std::string_view> strings;
    std::vector<const std::uint8_t*> wide;
  };

  std::vector<Run> runs;
  std::vector<DataBlock::GroupView> groups;
  std::vector<std::uint32_t> order;         // per record, index of its group
  std::vector<std::uint64_t> clocks;        // per record
  std::vector<std::uint32_t> first_column;  // per group, index into columns
  std::vector<Column> columns;
};

// `payload` is untrusted. Takes memory in proportion to it.
Result<RowsBlock> parse_rows_block(std::span<const std::uint8_t> payload, const LayoutSource& layouts);

// A run as both kinds of data block spell it (file.md §6).
void append_run(const Run& run, ByteBuffer& out);
// False: damaged.
[[nodiscard]] bool read_run(ByteReader& in, Run* run);

inline constexpr std::uint32_t kMaxRecords = 1u << 22;  // in a data block
inline constexpr std::size_t kLeastRun = 5;             // bytes a run takes at least

}  // namespace steno::format
