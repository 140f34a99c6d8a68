// Steps of time as lines, and the values of another key as columns.
#pragma once

#include <string>
#include <vector>

#include "output/table.h"
#include "query/statistics/aggregate.h"

namespace steno::cli {

// A pivot of rows with these two keys and a number each.
struct PivotOptions {
  std::size_t time_key = 0;  // the other one is 1 - time_key
  std::string time_title;
  query::Operation::Kind operation = query::Operation::Kind::kCount;
  std::string heading;    // a line before the table: what the numbers are
  bool by_level = false;  // the other key is the level: columns from the least to the greatest
  std::size_t most = 10;  // columns; the greatest
};

// At most as many columns as fit into the style's width. What the others have is summed in one more, `others`, where a
// sum means something; else the heading says how many there are.
void append_pivot(const std::vector<query::AnswerRow>& rows, const PivotOptions& options, const TableStyle& style,
                  ByteBuffer& out);

}  // namespace steno::cli
