// Columns of a batch out of the columns of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/batch_data.h"
#include "arrow/common_texts.h"
#include "arrow/text_column.h"
#include "query/block_view.h"
#include "text/value.h"

namespace steno::arrow {

// Bytes of text that end a batch: offsets are int32, and a byte may become three.
inline constexpr std::size_t kMostText = std::size_t{1} << 26;

// Records of a block, in its order.
struct Selection {
  query::BlockView* view = nullptr;
  std::span<const std::uint32_t> records;   // in the block
  std::span<const std::uint32_t> rows;      // in their group; empty where no argument is asked for
  std::size_t session = 0;                  // index in LogReader::sessions()
  const query::ViewGroup* group = nullptr;  // that all are of; nullptr: several

  Selection first(std::size_t n) const {
    return {view, records.first(n), rows.empty() ? rows : rows.first(n), session, group};
  }
};

// The arguments of one group, fetched: what follows cannot fail any more. Views the block's.
class GroupArguments {
 public:
  // False: a column cannot be decoded; view.status() has the reason. `all`: every argument, else those of `fields`.
  bool fetch(query::BlockView& view, std::size_t group, const Fields& fields, bool all);

  void values(std::uint32_t row, text::Value* out) const;
  // How many of the first records of `rows` the limit of text allows, at least one.
  std::size_t fitting(const Fields& fields, std::span<const std::uint32_t> rows) const;
  void fill(const Field& field, std::span<const std::uint32_t> rows, ColumnData* out);
  std::size_t size() const { return arguments_.size(); }

 private:
  struct Argument {
    ArgType type{};
    bool fetched = false;
    std::span<const std::uint64_t> ints;
    const std::uint8_t* wide = nullptr;
    const query::StringColumn* strings = nullptr;
    std::shared_ptr<const ColumnData> dictionary;  // of the block's, made for the first batch that wants it
    bool has_null = false;                         // among its texts
    std::vector<TextView> views;                   // of its texts
    bool has_long = false;                         // among the views: they point into the dictionary
  };

  static bool fetch_one(query::BlockView& view, std::size_t group, std::size_t index, Argument* out);
  static void fill_values(const Field& field, Argument& argument, std::span<const std::uint32_t> rows, ColumnData* out);
  static void fill_dictionary(const Field& field, Argument& argument, std::span<const std::uint32_t> rows,
                              ColumnData* out);
  static void fill_strings(const Field& field, Argument& argument, std::span<const std::uint32_t> rows,
                           ColumnData* out);
  static void make_dictionary(const Field& field, Argument* argument);

  std::vector<Argument> arguments_;
};

// Prints messages of a block. Reused from block to block.
class MessageColumn {
 public:
  // Fetches the arguments of the groups marked in `wanted`. False: one cannot be decoded.
  bool start(query::BlockView& view, std::span<const std::uint8_t> wanted);
  // Returns for how many of the records: all, unless the texts pass the limit; at least one.
  std::size_t fill(const Selection& selection, ColumnData* out);

 private:
  std::vector<GroupArguments> groups_;
  std::vector<reader::DecodedGroup> printed_;
  std::vector<text::Value> values_;
  ByteBuffer text_;
};

// A column that every record has, but not messages.
void fill_common(Common common, const Selection& selection, CommonTexts& texts, ColumnData* out);

}  // namespace steno::arrow
