#include "commands/agg_report.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/unique_names.h"
#include "output/meaning_cells.h"
#include "output/pivot.h"
#include "output/plot.h"
#include "output/svg.h"

namespace steno::cli {
namespace {

using query::AnswerRow;
using query::Cell;
using query::Operation;

class Report {
 public:
  explicit Report(const AggReport& report)
      : options_(report.options),
        question_(report.question),
        rows_(report.rows),
        style_(report.style),
        title_(report.title),
        is_whole_(report.is_whole) {}

  void append(ByteBuffer& out) const {
    if (options_.plot) return append_bars(plot(), terminal_width(STDOUT_FILENO), out);
    if (style_.format == TableFormat::kJson) return append_json(out);
    if (is_pivot(options_, question_, is_whole_)) return append_pivot(rows_, pivot_options(), style_, out);
    const Table numbers = numbers_table();
    const bool has_numbers = numbers.columns.size() > question_.keys.size();
    if (has_numbers) append_table(numbers, style_, out);
    bool first = !has_numbers;
    for (const Table& list : {frequencies(), histogram()}) {
      if (list.columns.empty()) continue;
      if (!first) put(out, "\n");
      append_table(list, style_, out);
      first = false;
    }
  }

  std::string svg() const {
    const std::string title = measure() + ": " + title_;
    const query::KeySpec* const first = question_.keys.empty() ? nullptr : &question_.keys[0];
    if (has(Operation::Kind::kHistogram) && first == nullptr) {
      return svg_of_histogram(histogram_plot(title));
    }
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      if (question_.keys[k].by == query::KeySpec::By::kTime && !is_list(question_.operations[0])) {
        return svg_of_times(times(title, k));
      }
    }
    Plot bars = plot();
    bars.title = title;
    if (has(Operation::Kind::kTop) || has(Operation::Kind::kHistogram)) bars.unit = "records";
    return svg_of_bars(bars);
  }

  // The first histogram if there is one, else the first number of each row.
  Plot plot() const {
    Plot plot;
    plot.title = title_;
    plot.unit = measure();
    for (const AnswerRow& row : rows_) {
      const std::string prefix = label(row);
      if (has(Operation::Kind::kHistogram)) {
        for (const query::Bar& bar : row.bars) {
          const std::string edges = edge_text(bar.low) + " .. " + edge_text(bar.high);
          plot.bars.push_back({prefix + (prefix.empty() ? "" : "  ") + edges, static_cast<double>(bar.count),
                               number_text(static_cast<double>(bar.count))});
        }
      } else if (has(Operation::Kind::kTop)) {
        for (const query::Frequency& one : row.top) {
          plot.bars.push_back({prefix + (prefix.empty() ? "" : "  ") + text_of(one.value),
                               static_cast<double>(one.count), number_text(static_cast<double>(one.count))});
        }
      } else {
        const Cell& cell = row.values[0];
        const double value = cell.kind == Cell::Kind::kNone ? 0 : cell.as_double();
        plot.durations = is_duration(0);
        if (!plot.durations) plot.bars.push_back({prefix, value, text_in(cell)});
        if (!plot.durations) continue;
        const double ns = value * tick_ns();
        plot.bars.push_back({prefix, ns, cell.kind == Cell::Kind::kNone ? text_in(cell) : duration_text(ns)});
      }
    }
    return plot;
  }

 private:
  // For people: a heading, and the unit that texts say after the argument.
  static std::string with_unit(const std::string& heading, const query::ArgumentOf& argument) {
    return argument.said_unit.empty() ? heading : heading + " (" + argument.said_unit + ")";
  }
  // Returns the heading of an axis: without the unit where it is of durations, whose numbers have units.
  std::string with_axis_unit(const std::string& heading) const {
    return options_.plot_is_wanted() && tick_ns() != 0 ? heading : with_unit(heading, question_.argument);
  }
  // Returns the heading of a column: without the unit where programs read the table.
  std::string column(const std::string& heading, const query::ArgumentOf& argument) const {
    return style_.format == TableFormat::kTable ? with_unit(heading, argument) : heading;
  }
  // How long the unit of the argument is; 0: it is no duration. `in_plot`: a number after which texts say a unit of
  // time is one too.
  double tick_ns(bool in_plot = true) const {
    const query::ArgumentOf& argument = question_.argument;
    std::optional<text::TimeUnit> unit;
    if (argument.meaning != nullptr && argument.meaning->kind() == text::Meaning::Kind::kDuration)
      unit = argument.meaning->time_unit();
    if (in_plot && argument.meaning == nullptr) unit = text::time_unit_of(argument.said_unit);
    return unit ? 1e9 * static_cast<double>(unit->numerator) / static_cast<double>(unit->denominator) : 0;
  }
  // Returns whether the values of an operation are durations.
  bool is_duration(std::size_t operation) const {
    return tick_ns() != 0 && is_amount(question_.operations[operation].kind);
  }

  HistogramPlot histogram_plot(const std::string& title) const {
    HistogramPlot plot{title, with_axis_unit(question_.argument.name), {}};
    const double tick = tick_ns();
    for (const query::Bar& bar : rows_.at(0).bars) {
      const double unit = tick != 0 ? tick : 1;
      plot.bars.push_back({bar.low * unit, bar.high * unit, static_cast<double>(bar.count)});
    }
    if (tick == 0) return plot;
    const bool sized = std::any_of(question_.operations.begin(), question_.operations.end(), [](const Operation& one) {
      return one.kind == Operation::Kind::kHistogram && one.sized;
    });
    const bool equal = sized || (!plot.bars.empty() && plot.bars.front().low < 0);
    plot.kind = equal ? AxisKind::kDurations : AxisKind::kLogarithmicDurations;
    return plot;
  }

  // The quantity of a plot: "p99 of size (MB)".
  std::string measure() const {
    const auto is_in_unit = [](const Operation& one) { return is_list(one) || is_amount(one.kind); };
    const auto& operations = question_.operations;
    const bool in_unit = has_several() ? std::all_of(operations.begin(), operations.end(), is_in_unit)
                                       : is_in_unit(operations[0]) || has(Operation::Kind::kHistogram);
    const std::string& name = question_.argument.name;
    const std::string of = name.empty() ? "" : " of " + (in_unit ? with_axis_unit(name) : name);
    if (has(Operation::Kind::kHistogram)) return "distribution" + of;
    if (has(Operation::Kind::kTop)) return "most frequent values" + of;
    const Operation& operation = question_.operations[0];
    if (has_several()) {
      std::string titles;
      for (const Operation& one : question_.operations) titles += (titles.empty() ? "" : ", ") + one.title;
      return titles + of;
    }
    return operation.title + (query::needs_argument(operation) ? of : "");
  }
  // Lines over time: one for each number.
  bool has_several() const {
    const bool timed = std::any_of(question_.keys.begin(), question_.keys.end(),
                                   [](const auto& key) { return key.by == query::KeySpec::By::kTime; });
    return timed && !options_.svg.empty() && question_.operations.size() > 1;
  }

  PivotOptions pivot_options() const {
    const std::size_t time_key = question_.keys[0].by == query::KeySpec::By::kTime ? 0 : 1;
    PivotOptions pivot;
    pivot.time_key = time_key;
    pivot.time_title = question_.keys[time_key].title;
    pivot.operation = question_.operations[0].kind;
    pivot.heading = measure() + " by " + question_.keys[1 - time_key].title;
    const query::KeySpec& other = question_.keys[1 - time_key];
    pivot.by_level = other.by == query::KeySpec::By::kField && other.field == query::Field::kLevel;
    return pivot;
  }

  // A line for each combination of the other keys.
  TimePlot times(const std::string& title, std::size_t time_key) const {
    TimePlot plot{title, measure(), style_.zone, {}};
    // Durations have an axis of their own kind only if all lines are such.
    plot.durations = tick_ns() != 0;
    for (std::size_t i = 0; i < question_.operations.size(); ++i) {
      plot.durations = plot.durations && (is_list(question_.operations[i]) || is_duration(i));
    }
    const double unit = plot.durations ? tick_ns() : 1;
    std::map<std::string, std::size_t> index;
    for (const AnswerRow& row : rows_) {
      AnswerRow others;
      for (std::size_t k = 0; k < row.keys.size(); ++k) {
        if (k != time_key) others.keys.push_back(row.keys[k]);
      }
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        if (is_list(question_.operations[i])) continue;
        std::string name = label(others);
        if (has_several()) name += (name.empty() ? "" : " ") + question_.operations[i].title;
        const auto [found, is_new] = index.try_emplace(name, plot.series.size());
        if (is_new) plot.series.push_back({name, {}});
        const Cell& cell = row.values[i];
        const double value = cell.kind == Cell::Kind::kNone ? std::nan("") : cell.as_double() * unit;
        plot.series[found->second].points.push_back({static_cast<std::int64_t>(row.keys[time_key].integer), value});
      }
    }
    for (auto& series : plot.series) {
      std::sort(series.points.begin(), series.points.end(), [](auto& a, auto& b) { return a.time < b.time; });
    }
    return plot;
  }

  bool has(Operation::Kind kind) const {
    for (const Operation& operation : question_.operations) {
      if (operation.kind == kind) return true;
    }
    return false;
  }
  std::string text_in(const Cell& cell) const {
    TableStyle style = style_;
    style.format = TableFormat::kTable;
    return cell_text(cell, style);
  }
  std::string text_of(const Cell& cell) const { return escaped(text_in(cell), Escape::kTerminal); }
  std::string label(const AnswerRow& row) const {
    std::string text;
    for (const Cell& key : row.keys) text += (text.empty() ? "" : " ") + text_of(key);
    return text;
  }

  Table with_keys() const {
    Table table;
    for (const query::KeySpec& key : question_.keys) {
      const bool is_argument = key.by == query::KeySpec::By::kArgument;
      table.columns.push_back(is_argument ? column(key.title, key.argument) : key.title);
    }
    return table;
  }

  Table numbers_table() const {
    Table table = with_keys();
    for (const Operation& operation : question_.operations) {
      if (is_list(operation)) continue;
      table.columns.push_back(is_amount(operation.kind) ? column(operation.title, question_.argument)
                                                        : operation.title);
    }
    for (const AnswerRow& row : rows_) {
      auto& cells = table.rows.emplace_back(row.keys);
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        if (!is_list(question_.operations[i])) cells.push_back(row.values[i]);
      }
    }
    return table;
  }

  Table frequencies() const {
    if (!has(Operation::Kind::kTop)) return {};
    Table table = with_keys();
    table.columns.insert(table.columns.end(), {column("value", question_.argument), "count"});
    for (const AnswerRow& row : rows_) {
      for (const query::Frequency& one : row.top) {
        auto& cells = table.rows.emplace_back(row.keys);
        cells.push_back(one.value);
        cells.push_back(Cell::of(static_cast<text::Int128>(one.count)));
      }
    }
    return table;
  }

  Table histogram() const {
    if (!has(Operation::Kind::kHistogram)) return {};
    Table table = with_keys();
    const query::ArgumentOf& argument = question_.argument;
    table.columns.insert(table.columns.end(), {column("from", argument), column("to", argument), "count"});
    for (const AnswerRow& row : rows_) {
      for (const query::Bar& bar : row.bars) {
        auto& cells = table.rows.emplace_back(row.keys);
        cells.insert(cells.end(), {edge(bar.low), edge(bar.high), Cell::of(static_cast<text::Int128>(bar.count))});
      }
    }
    return table;
  }

  std::string edge_text(double value) const {
    const double tick = tick_ns(options_.plot_is_wanted());
    return tick != 0 ? round_duration_text(value * tick) : number_text(value);
  }
  Cell edge(double value) const {
    if (style_.format == TableFormat::kTable && tick_ns(false) != 0) return Cell::of_text(edge_text(value));
    Cell cell = Cell::of_real(value);
    if (question_.argument.meaning != nullptr) cell.unit = question_.argument.meaning->unit();
    return cell;
  }

  void append_json(ByteBuffer& out) const {
    std::vector<std::string> names;
    for (const query::KeySpec& key : question_.keys) names.push_back(key.title);
    for (const Operation& operation : question_.operations) names.push_back(operation.title);
    make_unique(names);
    for (const AnswerRow& row : rows_) {
      std::string line;
      std::size_t next = 0;
      const auto add = [&](const std::string& value) {
        line += (line.empty() ? "{\"" : ",\"") + json_escaped(names[next++]) + "\":" + value;
      };
      for (const Cell& key : row.keys) add(json_text(key, style_));
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const Operation& operation = question_.operations[i];
        std::string value = json_text(row.values[i], style_);
        if (operation.kind == Operation::Kind::kTop) value = json_list(row.top);
        if (operation.kind == Operation::Kind::kHistogram) value = json_list(row.bars);
        add(value);
      }
      put(out, line + "}\n");
    }
  }

  std::string json_list(const std::vector<query::Frequency>& list) const {
    std::string text = "[";
    for (const query::Frequency& one : list) {
      text += (text.size() == 1 ? "{\"value\":" : ",{\"value\":") + json_text(one.value, style_) +
              ",\"count\":" + std::to_string(one.count) + "}";
    }
    return text + "]";
  }
  std::string json_list(const std::vector<query::Bar>& list) const {
    std::string text = "[";
    for (const query::Bar& bar : list) {
      text += (text.size() == 1 ? "{\"from\":" : ",{\"from\":") + json_text(Cell::of_real(bar.low), style_.zone) +
              ",\"to\":" + json_text(Cell::of_real(bar.high), style_.zone) + ",\"count\":" + std::to_string(bar.count) +
              "}";
    }
    return text + "]";
  }

  const AggOptions& options_;
  const query::Question& question_;
  const std::vector<AnswerRow>& rows_;
  const TableStyle& style_;
  std::string title_;
  bool is_whole_;  // all rows are here
};

}  // namespace

bool is_list(const Operation& operation) {
  return operation.kind == Operation::Kind::kTop || operation.kind == Operation::Kind::kHistogram;
}

bool is_pivot(const AggOptions& options, const query::Question& question, bool is_whole) {
  const query::RankingOptions& ranking = options.ranking;
  if (!is_whole || !ranking.sort.empty() || ranking.limit || options.question.format != "table") return false;
  if (question.keys.size() != 2 || question.operations.size() != 1 || is_list(question.operations[0])) return false;
  return (question.keys[0].by == query::KeySpec::By::kTime) != (question.keys[1].by == query::KeySpec::By::kTime);
}

void append_report(const AggReport& report, ByteBuffer& out) {
  Report(report).append(out);
}

std::string svg_of_report(const AggReport& report) {
  return Report(report).svg();
}

}  // namespace steno::cli
