// The dictionaries of the columns of text that every record has: thread, logger, file and the like.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrow/batch_data.h"
#include "reader/log_set.h"

namespace steno::arrow {

// One dictionary a column for all batches of a source, with all texts that the logs have, whether they come in a batch
// or not: a file of Arrow's IPC format can have no other, and pyarrow groups by no other. A text that the logs have
// since learnt, as those that are followed do, is appended.
class CommonTexts {
 public:
  explicit CommonTexts(const reader::LogSet& logs) : logs_(logs) {}

  std::int32_t index_of(Common common, std::string_view text);
  std::shared_ptr<const ColumnData> dictionary(Common common);

 private:
  struct Column {
    bool started = false;
    std::unordered_map<std::string, std::int32_t> indices;
    std::vector<const std::string*> texts;  // keys of the map
    std::shared_ptr<const ColumnData> made;
  };

  Column& column(Common common);
  static std::int32_t add(std::string_view text, Column* column);

  const reader::LogSet& logs_;
  std::array<Column, static_cast<std::size_t>(Common::kMessage) + 1> columns_;
};

}  // namespace steno::arrow
