// Results as a table for people, JSON lines or CSV.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "lines/escape.h"
#include "lines/time_text.h"
#include "output/lines_names.h"
#include "output/text_width.h"
#include "query/cell.h"

namespace steno::cli {

enum class TableFormat { kTable, kJson, kCsv };

// "table", "json", "csv".
inline const std::vector<std::string>& table_formats() {
  static const std::vector<std::string> names = {"table", "json", "csv"};
  return names;
}
TableFormat table_format_of(const std::string& name);

struct TableStyle {
  TableFormat format = TableFormat::kTable;
  Escape escape = Escape::kControls;  // of text in tables for people
  Zone zone = Zone::kUtc;
  std::size_t width = 0;                    // columns that tables for people should fit into; 0: any
  bool heading = true;                      // a line with the names of the columns
  std::shared_ptr<lines::TimeStyle> times;  // how times are written, if somebody asked for it; not as a distance
  bool short_times = false;                 // else, for people: with few digits (shortest_times())
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<query::Cell>> rows;
};

// JSON: an object a row, nothing for cells that are kNone but null. CSV: RFC 4180 with a header line. In both a
// repeated name of a column gets a number ("x_2"). For people where there is no room: one row as a line a column, of
// several rows the longest texts cut; if that is not enough, each row as lines.
void append_table(const Table& table, const TableStyle& style, ByteBuffer& out);

// One cell: for people (thousands grouped, numbers of a few digits), or for machines (the shortest that reads back).
std::string human_text(const query::Cell& cell, Zone zone);
std::string machine_text(const query::Cell& cell, Zone zone);
// Prints a cell as one of these does, with the times of `style`.
std::string cell_text(const query::Cell& cell, const TableStyle& style);
// The style of times of the cells, for TableStyle::short_times: milliseconds, but whole seconds without, and short
// steps of time with as many digits as tell them apart.
std::shared_ptr<lines::TimeStyle> shortest_times(const std::vector<const query::Cell*>& cells);
// These return a cell as JSON: quoted if it must be.
std::string json_text(const query::Cell& cell, Zone zone);
std::string json_text(const query::Cell& cell, const TableStyle& style);

// Nanoseconds for people: "1.25 ms".
std::string duration_text(double ns);
// The text of duration_text(), but in seconds however long it is: "100 s", not "1.667 min". For axes and edges of bars,
// which are round numbers of these.
std::string round_duration_text(double ns);
// "1234567.125" as "1,234,567.13": about six digits that matter, all of those before the point.
std::string number_text(double value);

// The lines of a text of words, at most `width` columns each where words allow; those after the first begin with
// `indent` spaces. 0: one line.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace steno::cli
