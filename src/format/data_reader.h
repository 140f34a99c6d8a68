// Reads data blocks, columns and rows alike. Trusts nothing: every length and count is checked against the payload, so
// that a hostile block costs an error, never a crash, a hang, or more memory than its record count (bounded) explains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "format/block.h"
#include "format/column_values.h"
#include "format/data_writer.h"
#include "steno/status.h"

namespace steno::format {

// How a site's arguments are typed; the reader's dictionary answers. nullptr: unknown site.
class LayoutSource {
 public:
  virtual ~LayoutSource() = default;
  virtual const wire::Layout* layout_of(std::uint32_t site) const = 0;
  // Returns whether redacts() is to be asked at all.
  virtual bool redacts_any() const { return false; }
  // Returns whether the values of an argument are kept from whoever reads: kRedacted, a string, stands for each.
  virtual bool redacts(std::uint32_t /*site*/, std::size_t /*argument*/) const { return false; }
};

// The text that is shown for a secret (types.md), whatever its type, length or value.
inline constexpr std::string_view kRedacted = "[redacted]";

// A view of one data block; the payload must outlive it. Const members are thread-safe.
class DataBlock {
 public:
  struct GroupView {
    std::uint32_t site = 0;
    std::uint32_t logger = 0;
    std::uint32_t records = 0;
    std::uint32_t columns = 0;
  };

  DataBlock();
  DataBlock(DataBlock&&) noexcept;
  DataBlock& operator=(DataBlock&&) noexcept;
  ~DataBlock();

  // `type` is kColumns or kRows. A rows block needs the layouts to be parsed at all; a columns block uses them when
  // columns are decoded. A rows block with an unknown site: kCorrupt.
  // `shared`: of the block's session; must outlive the block and what is decoded of it.
  static Result<DataBlock> open(BlockType type, std::span<const std::uint8_t> payload, const LayoutSource& layouts,
                                const SharedDictionaries* shared = nullptr);

  // The payload is this block's from now on: `bytes` holds it somewhere.
  void keep(std::unique_ptr<std::uint8_t[]> bytes);

  std::uint32_t records() const;
  std::uint64_t min_clock() const;
  std::uint64_t max_clock() const;
  std::span<const std::uint64_t, kLevelCount> level_counts() const;  // zeros in a rows block
  std::span<const Run> runs() const;
  std::span<const GroupView> groups() const;

  // Per record, in the order of runs.
  Status decode_order(RawVector<std::uint32_t>* groups) const;
  Status decode_clocks(RawVector<std::uint64_t>* clocks) const;
  // The values of argument `column` of group `group`, in block order. `type` is what the dictionary says; of columns
  // that are redacted it is kString, and no other function says anything of them.
  Status decode_column(std::size_t group, std::size_t column, ArgType type, ColumnValues* values,
                       PackedStrings packed = PackedStrings::kNone) const;
  // Returns whether the column is written as one value for all; true: `values` has just that one.
  bool decode_constant(std::size_t group, std::size_t column, ArgType type, ColumnValues* values) const;

  // The least and greatest value of an integer column in the order of `type`, without decoding it: a block whose zone
  // does not meet a condition on the column can be skipped. Values are extended like ColumnValues::ints. False: not
  // known (floats, strings, 16-byte types, short columns, rows).
  bool column_zone(std::size_t group, std::size_t column, ArgType type, std::uint64_t* least,
                   std::uint64_t* greatest) const;

  // The dictionaries that columns of strings may refer to; nullptr: none.
  const SharedDictionaries* shared() const;

  // A column as it lies in the file, for those who ask its packed form (strings/distinct.h). Empty: no such
  // column, one that is not read without others, one that groups share, or rows.
  std::span<const std::uint8_t> column_bytes(std::size_t group, std::size_t column) const;

  // For statistics, of redacted columns too: bytes and codec name of a column, of one that groups share the group's
  // share; the block's own columns are order and clock.
  struct ColumnInfo {
    std::size_t bytes = 0;
    const char* codec = "";  // static; "rows" in a rows block
  };
  ColumnInfo column_info(std::size_t group, std::size_t column) const;
  ColumnInfo order_info() const;
  ColumnInfo clock_info() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steno::format
