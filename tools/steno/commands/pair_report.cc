#include "commands/pair_report.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "input/inputs.h"
#include "output/output.h"
#include "output/plot.h"
#include "output/svg.h"
#include "reader/loss_text.h"

namespace steno::cli {
namespace {

using query::Cell;

// A duration; for people with its unit, for machines in ns.
Cell duration_cell(double ns, const TableStyle& style) {
  if (style.format == TableFormat::kTable) return Cell::of_text(duration_text(ns));
  return Cell::of_real(ns);
}
Cell duration_cell(std::int64_t ns, const TableStyle& style) {
  if (style.format == TableFormat::kTable) return Cell::of_text(duration_text(static_cast<double>(ns)));
  return Cell::of(ns);
}

Cell count_cell(std::uint64_t count) {
  return Cell::of(static_cast<text::Int128>(count));
}

std::string quantile_name(double quantile) {
  return "p" + machine_text(Cell::of_real(quantile * 100), Zone::kUtc);
}

// Keys for JSON: numbers that programs round are texts there (what jq and JavaScript hold is exact up to 2^53), and so
// are all ids of spans, so that these have one type.
void make_texts(bool all, std::vector<Cell>* keys) {
  constexpr text::Int128 kExact = text::Int128{1} << 53;
  for (Cell& key : *keys) {
    if (key.kind != Cell::Kind::kInteger || (!all && key.integer <= kExact && key.integer >= -kExact)) continue;
    key = Cell::of_text(machine_text(key, Zone::kUtc));
  }
}

std::string json_rows(const Table& table, const TableStyle& style) {
  ByteBuffer out;
  append_table(table, style, out);
  std::string text(reinterpret_cast<const char*>(out.data()), out.size());
  for (char& c : text) c = c == '\n' ? ',' : c;
  if (!text.empty()) text.pop_back();
  return "[" + text + "]";
}

// A row of the numbers of some pairs.
class NumbersRow {
 public:
  NumbersRow(std::vector<std::string>* columns, std::vector<Cell>* row) : columns_(columns), row_(row) {}

  void add(const std::string& name, Cell cell) {
    if (columns_ != nullptr) columns_->push_back(name);
    row_->push_back(std::move(cell));
  }
  void add_durations(const query::Moments& d, const std::vector<std::pair<double, std::int64_t>>& quantiles,
                     const std::vector<std::pair<double, std::int64_t>>& names, const TableStyle& style) {
    const bool any = d.count != 0;
    const auto of_key = [](std::uint64_t key) { return static_cast<std::int64_t>(key ^ query::kSignBit); };
    add("min", any ? duration_cell(of_key(d.least), style) : Cell());
    add("mean", any ? duration_cell(d.mean_value(query::NumberKind::kSigned), style) : Cell());
    for (std::size_t i = 0; i < names.size(); ++i) {
      add(quantile_name(names[i].first), i < quantiles.size() ? duration_cell(quantiles[i].second, style) : Cell());
    }
    add("max", any ? duration_cell(of_key(d.greatest), style) : Cell());
  }

 private:
  std::vector<std::string>* columns_;
  std::vector<Cell>* row_;
};

constexpr double kShownQuantile = 0.99;  // the quantile of charts

double shown_quantile(const query::PairGroup& group) {
  for (const auto& [quantile, value] : group.quantiles) {
    if (quantile == kShownQuantile) return static_cast<double>(value);
  }
  return std::nan("");
}

}  // namespace

void make_ids_texts(bool all, query::PairAnswer* answer) {
  for (query::PairedRecords& one : answer->slowest) make_texts(all, &one.keys);
  for (query::UnpairedRecord& one : answer->first_examples) make_texts(all, &one.keys);
  for (query::UnpairedRecord& one : answer->second_examples) make_texts(all, &one.keys);
  for (query::PairGroup& one : answer->groups) make_texts(false, &one.keys);
}

void explain_pairs(const query::PairAnswer& answer, const char* advice, bool shifted) {
  if (!shifted && 2 * answer.most_of_one_host < answer.durations.count + answer.reversed) {
    complain(
        "most pairs are of lines of two hosts, so their times are wrong by as much as the clocks of these are apart; "
        "--shift auto estimates how much that is, and puts it right");
  }
  if (answer.reversed > answer.durations.count) {
    complain("the second line mostly comes before the first (" + reader::with_commas(answer.reversed) + " times, " +
             reader::with_commas(answer.durations.count) +
             " times after it): perhaps they are meant the other way round, or the clocks of two hosts differ");
  }
  if (answer.waiting_twice == 0 || advice == nullptr) return;
  complain("keys repeat: " + reader::with_commas(answer.waiting_twice) +
           " first lines came while another one with the same key was waiting" + advice);
}

PairReport::PairReport(const query::PairAnswer& answer, const query::PairQuestion& question, const PairOptions& options,
                       const TableStyle& style)
    : answer_(answer), question_(question), options_(options), style_(style) {}

Table PairReport::summary() const {
  Table table;
  NumbersRow row(&table.columns, &table.rows.emplace_back());
  row.add("pairs", count_cell(answer_.durations.count));
  row.add("first_alone", count_cell(answer_.first_alone));
  row.add("second_alone", count_cell(answer_.second_alone));
  if (options_.above != INT64_MIN) row.add("above", count_cell(answer_.above));
  row.add_durations(answer_.durations, answer_.quantiles, answer_.quantiles, style_);
  return table;
}

Table PairReport::groups() const {
  Table table;
  for (const query::PairBy& by : question_.by) table.columns.push_back(by.spec.title);
  const bool of_first = std::all_of(question_.by.begin(), question_.by.end(), [](auto& by) { return by.side == 0; });
  for (const query::PairGroup& group : answer_.groups) {
    const bool is_first = table.rows.empty();
    NumbersRow row(is_first ? &table.columns : nullptr, &table.rows.emplace_back(group.keys));
    row.add("pairs", count_cell(group.durations.count));
    if (of_first) row.add("first_alone", count_cell(group.first_alone));
    if (options_.above != INT64_MIN) row.add("above", count_cell(group.above));
    row.add_durations(group.durations, group.quantiles, answer_.quantiles, style_);
  }
  return table;
}

Table PairReport::slowest() const {
  Table table;
  for (const query::PairKey& key : question_.keys) table.columns.push_back(key.title);
  table.columns.insert(table.columns.end(), {"begin", "duration"});
  for (const query::PairedRecords& one : answer_.slowest) {
    auto& row = table.rows.emplace_back(one.keys);
    row.push_back(Cell::of_time(one.begin));
    row.push_back(duration_cell(one.duration, style_));
  }
  return table;
}

Table PairReport::alone(const std::vector<query::UnpairedRecord>& examples) const {
  Table table;
  for (const query::PairKey& key : question_.keys) table.columns.push_back(key.title);
  table.columns.emplace_back("time");
  for (const query::UnpairedRecord& one : examples) {
    table.rows.emplace_back(one.keys).push_back(Cell::of_time(one.time));
  }
  return table;
}

void PairReport::append_json(ByteBuffer& out) const {
  std::string line = json_rows(summary(), style_);
  line = line.substr(1, line.size() - 3);  // the object, open at its end
  if (!question_.by.empty()) line += ",\"groups\":" + json_rows(groups(), style_);
  line += ",\"slowest\":" + json_rows(slowest(), style_) +
          ",\"first_examples\":" + json_rows(alone(answer_.first_examples), style_) +
          ",\"second_examples\":" + json_rows(alone(answer_.second_examples), style_) + "}\n";
  put(out, line);
}

void PairReport::append(ByteBuffer& out) const {
  if (options_.plot) return append_plot(out);
  if (style_.format == TableFormat::kJson) return append_json(out);
  const bool grouped = !question_.by.empty();
  // A table for programs is one table.
  if (style_.format == TableFormat::kCsv) return append_table(grouped ? groups() : summary(), style_, out);
  append_table(summary(), style_, out);
  if (grouped && !answer_.groups.empty()) {
    put(out, "\n");
    append_table(groups(), style_, out);
  }
  if (const Table slow = slowest(); !slow.rows.empty()) {
    put(out, "\nslowest\n");
    append_table(slow, style_, out);
  }
  const auto examples = [&](const char* title, const std::vector<query::UnpairedRecord>& list) {
    if (list.empty()) return;
    put(out, std::string("\n") + title + ", the earliest\n");
    append_table(alone(list), style_, out);
  };
  examples(options_.spans ? "begun, without an end" : "first without second", answer_.first_examples);
  examples(options_.spans ? "ended, without a begin" : "second without first", answer_.second_examples);
}

std::string PairReport::heading() const {
  if (options_.spans) return "duration of spans";
  return escaped(question_.first.format, Escape::kTerminal) + " to " +
         escaped(question_.second.format, Escape::kTerminal);
}

std::string PairReport::label(const query::PairGroup& group) const {
  TableStyle style = style_;
  style.format = TableFormat::kTable;
  std::string text;
  for (const Cell& key : group.keys) {
    text += (text.empty() ? "" : " ") + escaped(cell_text(key, style), Escape::kTerminal);
  }
  return text;
}

void PairReport::append_plot(ByteBuffer& out) const {
  Plot plot{heading(), {}, {}};
  if (question_.by.empty()) {
    plot.unit = "number of pairs";
    for (const query::DurationBar& bar : answer_.bars) {
      const auto count = static_cast<double>(bar.count);
      plot.bars.push_back({round_duration_text(static_cast<double>(bar.low)) + " .. " +
                               round_duration_text(static_cast<double>(bar.high)),
                           count, number_text(count)});
    }
  } else {
    plot.unit = quantile_name(kShownQuantile);
    for (const query::PairGroup& group : answer_.groups) {
      const double value = shown_quantile(group);
      plot.bars.push_back({label(group), std::isfinite(value) ? value : 0,
                           std::isfinite(value) ? duration_text(value) : std::string("-")});
    }
  }
  append_bars(plot, terminal_width(STDOUT_FILENO), out);
}

std::string PairReport::svg() const {
  if (question_.by.empty()) {
    HistogramPlot plot{heading(), "time of a pair", {}, AxisKind::kLogarithmicDurations, "pairs"};
    for (const query::DurationBar& bar : answer_.bars) {
      plot.bars.push_back(
          {static_cast<double>(bar.low), static_cast<double>(bar.high), static_cast<double>(bar.count)});
    }
    return svg_of_histogram(plot);
  }
  const auto time = std::find_if(question_.by.begin(), question_.by.end(),
                                 [](const auto& by) { return by.spec.by == query::KeySpec::By::kTime; });
  if (time == question_.by.end()) {
    Plot plot{heading(), quantile_name(kShownQuantile), {}};
    plot.durations = true;
    for (const query::PairGroup& group : answer_.groups) {
      const double value = shown_quantile(group);
      if (std::isfinite(value)) plot.bars.push_back({label(group), value, duration_text(value)});
    }
    return svg_of_bars(plot);
  }
  const auto time_key = static_cast<std::size_t>(time - question_.by.begin());
  TimePlot plot{heading(), quantile_name(kShownQuantile), style_.zone, {}};
  plot.durations = true;
  std::map<std::string, std::size_t> index;
  for (const query::PairGroup& group : answer_.groups) {
    query::PairGroup others = group;
    others.keys.erase(others.keys.begin() + static_cast<std::ptrdiff_t>(time_key));
    const auto [found, is_new] = index.try_emplace(label(others), plot.series.size());
    if (is_new) plot.series.push_back({found->first, {}});
    plot.series[found->second].points.push_back(
        {static_cast<std::int64_t>(group.keys[time_key].integer), shown_quantile(group)});
  }
  for (auto& series : plot.series) {
    std::sort(series.points.begin(), series.points.end(), [](auto& a, auto& b) { return a.time < b.time; });
  }
  return svg_of_times(plot);
}

}  // namespace steno::cli
