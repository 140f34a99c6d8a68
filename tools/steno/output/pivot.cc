#include "output/pivot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/level_name.h"

namespace steno::cli {
namespace {

using query::AnswerRow;
using query::Cell;
using Kind = query::Operation::Kind;

bool can_be_summed(Kind kind) {
  return kind == Kind::kCount || kind == Kind::kSum || kind == Kind::kShare;
}

Cell sum_of(const Cell& a, const Cell& b) {
  if (a.kind == Cell::Kind::kNone) return b;
  if (b.kind == Cell::Kind::kNone) return a;
  Cell sum = a;
  if (a.kind == Cell::Kind::kInteger && b.kind == Cell::Kind::kInteger) {
    sum.integer = a.integer + b.integer;
    return sum;
  }
  sum.kind = Cell::Kind::kReal;
  sum.real = a.as_double() + b.as_double();
  return sum;
}

Level level_of(const Cell& key) {
  Level level = Level::kTrace;
  (void)parse_level(human_text(key, Zone::kUtc), &level);
  return level;
}

// Rows by step and column.
class Pivot {
 public:
  Pivot(const std::vector<AnswerRow>& rows, const PivotOptions& options) : options_(options) {
    std::map<Cell, std::size_t> known;
    for (const AnswerRow& row : rows) {
      const Cell& key = row.keys[1 - options.time_key];
      const auto [found, added] = known.try_emplace(key, columns_.size());
      if (added) columns_.push_back({key, 0, {}});
      Column& column = columns_[found->second];
      const Cell& value = row.values[0];
      const std::int64_t step = static_cast<std::int64_t>(row.keys[options.time_key].integer);
      steps_.push_back(step);
      column.cells[step] = value;
      const double size =
          value.kind == Cell::Kind::kNone || std::isnan(value.as_double()) ? 0 : std::fabs(value.as_double());
      column.weight = can_be_summed(options.operation) ? column.weight + size : std::max(column.weight, size);
    }
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    std::stable_sort(columns_.begin(), columns_.end(), [&](const Column& a, const Column& b) {
      return options_.by_level ? level_of(a.key) < level_of(b.key) : a.weight > b.weight;
    });
  }

  std::size_t columns() const { return columns_.size(); }

  Table table(std::size_t most) const {
    const std::size_t shown = std::min(most, columns_.size());
    const bool others = shown < columns_.size() && can_be_summed(options_.operation);
    Table table;
    table.columns.push_back(options_.time_title);
    for (std::size_t c = 0; c < shown; ++c) table.columns.push_back(human_text(columns_[c].key, Zone::kUtc));
    if (others) table.columns.emplace_back("others");
    for (const std::int64_t step : steps_) {
      auto& row = table.rows.emplace_back();
      row.push_back(Cell::of_time(step));
      for (std::size_t c = 0; c < shown; ++c) row.push_back(cell(c, step));
      if (!others) continue;
      Cell sum;
      for (std::size_t c = shown; c < columns_.size(); ++c) sum = sum_of(sum, cell(c, step));
      row.push_back(sum);
    }
    return table;
  }

 private:
  struct Column {
    Cell key;
    double weight;
    std::map<std::int64_t, Cell> cells;  // by step
  };

  Cell cell(std::size_t column, std::int64_t step) const {
    const auto found = columns_[column].cells.find(step);
    return found == columns_[column].cells.end() ? Cell() : found->second;
  }

  const PivotOptions& options_;
  std::vector<Column> columns_;  // greatest first
  std::vector<std::int64_t> steps_;
};

std::size_t widest_line(const ByteBuffer& text) {
  std::string_view rest(reinterpret_cast<const char*>(text.data()), text.size());
  std::size_t widest = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    widest = std::max(widest, text_width(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return widest;
}

}  // namespace

void append_pivot(const std::vector<AnswerRow>& rows, const PivotOptions& options, const TableStyle& style,
                  ByteBuffer& out) {
  const Pivot pivot(rows, options);
  TableStyle any_width = style;
  any_width.width = 0;
  ByteBuffer text;
  std::size_t most = options.most;
  for (;; --most) {
    text.clear();
    append_table(pivot.table(most), any_width, text);
    if (most <= 1 || style.width == 0 || widest_line(text) <= style.width) break;
  }
  const bool left_out = most < pivot.columns() && !can_be_summed(options.operation);
  put(out, options.heading);
  if (left_out) put(out, ", " + std::to_string(most) + " of " + std::to_string(pivot.columns()));
  put(out, "\n");
  out.put_bytes(text.data(), text.size());
}

}  // namespace steno::cli
