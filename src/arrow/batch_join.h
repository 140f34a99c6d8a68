// Small batches as one: blocks with few records make batches of few rows, which engines and files of columns handle
// badly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/batch_data.h"

namespace steno::arrow {

// Appends batches with the same fields to each other. A text that is no longer than 2^31 - 1 bytes with the others of
// its column can be appended. Cost: each appended value is copied once; a new text of a dictionary is looked up.
class BatchJoin {
 public:
  // Begins with no rows, in the memory of `whole`. `part` is what will be appended first, `rows` about how many rows
  // there will be.
  void start(std::shared_ptr<BatchData> whole, const BatchData& part, std::size_t rows);
  bool has_batch() const { return whole_ != nullptr; }
  std::size_t rows() const { return whole_ != nullptr ? whole_->rows : 0; }
  // Returns whether `part` can be appended: it has the same fields, and offsets can address its texts.
  bool fits(const BatchData& part) const;
  // Requires fits().
  void append(const BatchData& part);
  // All that was appended since start(); nothing is left.
  std::shared_ptr<BatchData> finish();

 private:
  // The texts of all batches of a column whose dictionary differs from batch to batch.
  struct Dictionary {
    std::shared_ptr<ColumnData> texts;  // null: the column has the one of its first batch so far
    std::unordered_map<std::string, std::int32_t> indices;
  };

  void append_indices(const ColumnData& part, bool grows, Dictionary* dictionary, ColumnData* whole);

  std::shared_ptr<BatchData> whole_;
  std::vector<Dictionary> dictionaries_;  // one a field
};

}  // namespace steno::arrow
