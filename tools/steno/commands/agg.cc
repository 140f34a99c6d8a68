// steno agg: statistics of arguments, computed from the log.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "base/unique_names.h"
#include "command.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "options/filter_options.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/meaning_cells.h"
#include "output/output.h"
#include "output/plot.h"
#include "output/progress.h"
#include "output/svg.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/ranking.h"

namespace steno::cli {
namespace {

using query::AnswerRow;
using query::Cell;
using query::Operation;

struct AggOptions {
  QuestionOptions question;
  std::vector<std::string> operations;
  std::string argument;
  std::vector<std::string> by;
  std::string svg;
  bool plot = false;
  query::RankingOptions ranking;
  std::uint64_t memory = std::uint64_t{1} << 30;
};

std::string bar_label(const query::Bar& bar) {
  return number_text(bar.low) + " .. " + number_text(bar.high);
}

class Report {
 public:
  Report(const AggOptions& options, const query::Question& question, const std::vector<AnswerRow>& rows,
         const TableStyle& style, std::string title)
      : options_(options), question_(question), rows_(rows), style_(style), title_(std::move(title)) {}

  void append(ByteBuffer& out) const {
    if (options_.plot) return append_bars(plot(), terminal_width(STDOUT_FILENO), out);
    if (style_.format == TableFormat::kJson) return append_json(out);
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
      HistogramPlot histogram{title, question_.argument.name, {}};
      for (const query::Bar& bar : rows_.at(0).bars) {
        histogram.bars.push_back({bar.low, bar.high, static_cast<double>(bar.count)});
      }
      return svg_of_histogram(histogram);
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
          plot.bars.push_back({prefix + (prefix.empty() ? "" : "  ") + bar_label(bar), static_cast<double>(bar.count),
                               number_text(static_cast<double>(bar.count))});
        }
      } else if (has(Operation::Kind::kTop)) {
        for (const query::Frequency& one : row.top) {
          plot.bars.push_back({prefix + (prefix.empty() ? "" : "  ") + text_of(one.value),
                               static_cast<double>(one.count), number_text(static_cast<double>(one.count))});
        }
      } else {
        const Cell& cell = row.values[0];
        plot.bars.push_back(
            {prefix, cell.kind == Cell::Kind::kNone ? 0 : cell.as_double(), human_text(cell, style_.zone)});
      }
    }
    return plot;
  }

 private:
  // What values of a plot are: "p99 of ms".
  std::string measure() const {
    const std::string of = question_.argument.name.empty() ? "" : " of " + question_.argument.name;
    if (has(Operation::Kind::kHistogram)) return "distribution" + of;
    if (has(Operation::Kind::kTop)) return "most frequent values" + of;
    const Operation& operation = question_.operations[0];
    return operation.title + (query::needs_argument(operation) ? of : "");
  }

  // A line for each combination of the other keys.
  TimePlot times(const std::string& title, std::size_t time_key) const {
    TimePlot plot{title, measure(), style_.zone, {}};
    std::map<std::string, std::size_t> index;
    for (const AnswerRow& row : rows_) {
      AnswerRow others;
      for (std::size_t k = 0; k < row.keys.size(); ++k) {
        if (k != time_key) others.keys.push_back(row.keys[k]);
      }
      const std::string name = label(others);
      const auto [found, is_new] = index.try_emplace(name, plot.series.size());
      if (is_new) plot.series.push_back({name, {}});
      const Cell& cell = row.values[0];
      const double value = cell.kind == Cell::Kind::kNone ? std::nan("") : cell.as_double();
      plot.series[found->second].points.push_back({static_cast<std::int64_t>(row.keys[time_key].integer), value});
    }
    for (auto& series : plot.series) {
      std::sort(series.points.begin(), series.points.end(), [](auto& a, auto& b) { return a.time < b.time; });
    }
    return plot;
  }

  static bool is_list(const Operation& operation) {
    return operation.kind == Operation::Kind::kTop || operation.kind == Operation::Kind::kHistogram;
  }
  bool has(Operation::Kind kind) const {
    for (const Operation& operation : question_.operations) {
      if (operation.kind == kind) return true;
    }
    return false;
  }
  std::string text_of(const Cell& cell) const { return escaped(human_text(cell, style_.zone), Escape::kTerminal); }
  std::string label(const AnswerRow& row) const {
    std::string text;
    for (const Cell& key : row.keys) text += (text.empty() ? "" : " ") + text_of(key);
    return text;
  }

  Table with_keys() const {
    Table table;
    for (const query::KeySpec& key : question_.keys) table.columns.push_back(key.title);
    return table;
  }

  Table numbers_table() const {
    Table table = with_keys();
    for (const Operation& operation : question_.operations) {
      if (!is_list(operation)) table.columns.push_back(operation.title);
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
    table.columns.insert(table.columns.end(), {"value", "count"});
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
    table.columns.insert(table.columns.end(), {"from", "to", "count"});
    for (const AnswerRow& row : rows_) {
      for (const query::Bar& bar : row.bars) {
        auto& cells = table.rows.emplace_back(row.keys);
        cells.insert(cells.end(), {edge(bar.low), edge(bar.high), Cell::of(static_cast<text::Int128>(bar.count))});
      }
    }
    return table;
  }

  Cell edge(double value) const {
    Cell cell = Cell::of_real(value);
    if (question_.argument.meaning != nullptr) cell.unit = question_.argument.meaning->unit();
    return cell;
  }

  void append_json(ByteBuffer& out) const {
    std::vector<std::string> names = with_keys().columns;
    for (const Operation& operation : question_.operations) names.push_back(operation.title);
    make_unique(names);
    for (const AnswerRow& row : rows_) {
      std::string line;
      std::size_t next = 0;
      const auto add = [&](const std::string& value) {
        line += (line.empty() ? "{\"" : ",\"") + json_escaped(names[next++]) + "\":" + value;
      };
      for (const Cell& key : row.keys) add(json_text(key, style_.zone));
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        const Operation& operation = question_.operations[i];
        std::string value = json_text(row.values[i], style_.zone);
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
      text += (text.size() == 1 ? "{\"value\":" : ",{\"value\":") + json_text(one.value, style_.zone) +
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
};

bool has_list(const query::Question& question) {
  return std::any_of(question.operations.begin(), question.operations.end(), [](const Operation& operation) {
    return operation.kind == Operation::Kind::kTop || operation.kind == Operation::Kind::kHistogram;
  });
}

// The last word is the statement, unless it is a file, or a pattern that files match.
bool names_statement(const AggOptions& options) {
  if (!options.question.filter.sites.empty() || options.question.words.size() < 2) return false;
  return !names_files(options.question.words.back());
}

bool has_names(const query::ArgumentOf& argument) {
  return argument.meaning != nullptr && argument.meaning->kind() == text::Meaning::Kind::kNames;
}

// The operations without --op: all that apply to the argument.
std::vector<std::string> default_operations(const AggOptions& options, const query::Question& question) {
  if (options.plot || !options.svg.empty()) {
    const bool number =
        !question.argument.types.empty() && !is_string(question.argument.types[0]) && !has_names(question.argument);
    if (options.by.empty()) return {number ? "hist" : question.argument.types.empty() ? "count" : "top"};
    return {"count"};
  }
  if (question.argument.types.empty()) return {"count"};
  if (is_string(question.argument.types[0]) || has_names(question.argument)) return {"count", "distinct", "top"};
  return {"count", "min", "mean", "max", "p50", "p99"};
}

void check_lists(const AggOptions& options, const query::Question& question) {
  std::size_t lists = 0;
  std::size_t tops = 0;
  std::size_t histograms = 0;
  for (const Operation& operation : question.operations) {
    tops += operation.kind == Operation::Kind::kTop ? 1 : 0;
    histograms += operation.kind == Operation::Kind::kHistogram ? 1 : 0;
  }
  lists = tops + histograms;
  if (tops > 1 || histograms > 1) throw CLI::ValidationError("--op", "top and hist can each be given once");
  if (options.question.format == "csv" && lists != 0 && question.operations.size() != 1) {
    throw CLI::ValidationError("--op", "CSV output is a single table: use top or hist alone, or --format json");
  }
}

// The condition of a ratio.
std::shared_ptr<const query::Predicate> predicate_of(const Operation& operation, const AggOptions& options,
                                                     const Opened& opened) {
  query::FilterOptions filter;
  filter.where = operation.condition;
  filter.local = options.question.filter.local;
  filter.check_names = true;
  auto expression = query::make_expression(filter, opened.logs);
  if (!expression.ok()) {
    std::string text = expression.status().message();
    if (text.starts_with("--where: ")) text.erase(0, 9);
    throw CLI::ValidationError("--op " + operation.title + ": " + text);
  }
  return std::make_shared<query::Predicate>(std::move(expression).value(), opened.logs);
}

query::Question make_question(const AggOptions& options, Opened& opened, query::Statement* statement, bool is_one,
                              WorkMeter* meter) {
  query::Question question;
  const query::TimeSpan recorded = query::recorded_span(opened.logs);
  question.keys =
      or_throw(query::parse_keys(options.by, statement, options.question.filter.local ? &recorded : nullptr));
  question.operations = or_throw(query::parse_operations(options.operations));
  bool wants_argument = !options.argument.empty();
  for (Operation& operation : question.operations) {
    wants_argument |= query::needs_argument(operation);
    if (operation.kind == Operation::Kind::kRatio) operation.predicate = predicate_of(operation, options, opened);
  }
  if (wants_argument && !is_one && options.argument.empty()) {
    throw CLI::ValidationError("which argument? Write --arg NAME, or the text of a statement after the files");
  }
  const bool only_one = is_one && statement->sites[0]->info().argument_types().size() == 1;
  if (wants_argument || (question.operations.empty() && only_one)) {
    question.argument = or_throw(query::find_argument(*statement, options.argument, query::Units::kTimes));
    statement->require(question.argument);
    opened.require_value(options.question.filter, *statement, question.argument);
  }
  for (const query::KeySpec& key : question.keys) {
    if (key.by != query::KeySpec::By::kArgument) continue;
    if (key.argument.is_both) {
      complain("--by " + key.title +
               ": this is an argument of some statements and a field of context of others; both count");
    }
    statement->require(key.argument);
    opened.require_value(options.question.filter, *statement, key.argument);
  }
  question.subject = opened.subject(meter);
  question.subject.statement = statement;
  if (question.operations.empty()) {
    question.operations = or_throw(query::parse_operations(default_operations(options, question)));
  }
  check_lists(options, question);
  question.memory = options.memory;
  return question;
}

void write_svg(const std::string& path, const std::string& svg, ExitCode* code) {
  std::ofstream file(path, std::ios::binary);
  file << svg;
  file.close();
  if (file) return;
  complain(path + ": cannot write the chart: " + std::strerror(errno));
  raise_to(code, kExitUnreadable);
}

// By its text. Whoever writes the name of an argument there meant that.
query::Statement statement_of(const reader::LogSet& logs, const std::string& text) {
  auto found = query::find_statement(logs, text);
  if (found.ok()) return std::move(found).value();
  const std::vector<const reader::Site*> sites = query::statements_of(logs);
  const bool is_argument = query::arguments_of(sites)(text);
  throw CLI::ValidationError(is_argument ? "'" + text + "' is an argument; write --arg " + text
                                         : found.status().message());
}

void run_agg(AggOptions options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  std::vector<std::string> files = options.question.words;
  std::string text;
  if (names_statement(options)) {
    text = files.back();
    files.pop_back();
    if (text.empty())
      throw CLI::ValidationError("the text of the statement is empty; leave it out to count all records");
  }
  const std::vector<std::string>& sites = options.question.filter.sites;
  const auto opened = open_question(files, options.question, code);
  if (opened == nullptr) return;
  bound_memory(size_of(opened->logs), options.memory);
  std::optional<query::Statement> statement;
  if (!text.empty()) statement = statement_of(opened->logs, text);
  if (!sites.empty()) statement = or_throw(query::find_statements_at(opened->logs, sites));

  TableStyle style;
  style.format = table_format_of(options.question.format);
  style.escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  style.width = output.is_terminal() ? terminal_width(STDOUT_FILENO) : 0;
  style.zone = options.question.filter.local ? Zone::kLocal : Zone::kUtc;
  const std::string title = statement ? escaped(statement->format, Escape::kTerminal) : "all statements";
  const bool is_one = statement.has_value();
  if (!is_one && (!options.argument.empty() || query::name_arguments(options.by, query::statements_of(opened->logs))))
    statement = query::all_statements(opened->logs);
  std::optional<Progress> progress(std::in_place, output.is_terminal());
  query::Question question =
      make_question(options, *opened, statement ? &*statement : nullptr, is_one, progress->meter());
  auto ranking = or_throw(
      query::Ranking::make(options.ranking, question, query::times_of(opened->logs, options.question.filter.local)));
  question.take_rows = [&, first = true](std::vector<AnswerRow> rows, bool last) mutable {
    rows = ranking.take(std::move(rows), last);
    if ((options.plot || !options.svg.empty()) && !(first && last) && !rows.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    "the chart has more groups than fit into --memory; raise it, or select fewer records with --where");
    }
    if (rows.empty() && !(first && last)) return Status();
    add_meanings(question, &rows);
    style.heading = first || (style.format == TableFormat::kTable && has_list(question));
    first = false;
    const Report report(options, question, rows, style, title);
    report.append(output.buffer());
    if (!options.svg.empty()) write_svg(options.svg, report.svg(), code);
    return last || output.flush() ? Status() : Status(StatusCode::kIoError, "");
  };
  const auto answer = query::aggregate(question);
  progress.reset();
  if (!answer.ok() && output.good()) throw CLI::ValidationError(answer.status().message());
  finish(output, code);
  if (!answer.ok()) return;
  if (answer->steps_left_out != 0) {
    complain("--by time: steps without records are left out, because there are " +
             reader::with_commas(answer->steps_left_out) +
             " steps; use longer steps, or a shorter time range (--since), to see them");
  }
  if (answer->records == 0) explain_nothing(options.question.filter, opened->logs, code);
  if (output.good()) report_failures(opened->logs, answer->failures, code);
}

}  // namespace

void add_agg(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<AggOptions>();
  CLI::App* agg = app.add_subcommand(
      "agg", "Compute statistics of the arguments of a statement: counts, means, percentiles, rankings");
  add_question_options(
      *agg, &options->question,
      "Files, then the statement: its text, or a part of it that no other statement has. --site can select it instead");
  add_empty_option(*agg, &options->question.filter);
  agg->add_option("--op", options->operations,
                  "count min max mean median sum stddev p50 p99.9 (any percentile) distinct top[:N] hist[:N]; share "
                  "(of all records), ratio(level >= ERROR) (of these), first, last (time); separated by commas")
      ->allow_extra_args(false);
  agg->add_option("--arg", options->argument,
                  "The argument, by name or number; not needed if the statement has only one. Without a statement: of "
                  "all that have it");
  agg->add_option("--by", options->by,
                  "Group by level, thread, logger, site, host or another field, an argument (client), or steps of time "
                  "(time:1s)")
      ->allow_extra_args(false);
  agg->add_option("--having", options->ranking.having, "Only rows that satisfy a condition on columns: 'count > 100'")
      ->check(some_text("write a condition, like 'count > 100'"));
  agg->add_option("--sort", options->ranking.sort,
                  "Order of the rows, by columns: p99, or level,count:asc. Numbers are greatest first, times and keys "
                  "least first")
      ->check(some_text("write the name of a column, like count"));
  agg->add_option("--limit", options->ranking.limit, "Only the first N rows")
      ->type_name("N")
      ->transform(whole_number());
  agg->add_flag("--plot", options->plot, "Draw a bar chart on the terminal");
  agg->add_option("--svg", options->svg, "Write the chart to this file, as SVG");
  add_memory_option(*agg, &options->memory);
  agg->footer(
      "Examples:\n"
      "  steno agg app.steno 'Hello World # {}' --op min,mean,max,p99.9\n"
      "  steno agg app.steno 'filled {qty} @ {price}' --arg qty --by 'arg client' \\\n"
      "    --where 'price > 100'\n"
      "  steno agg app.steno 'took {} ms' --by time:1s --op p99 --plot\n"
      "  steno agg app.steno --by client --op count,share --sort share --limit 3\n"
      "  steno agg *.steno --op count --by level --by thread");
  agg->callback([options, code] {
    if (options->plot && options->question.format != "table") {
      throw CLI::ValidationError("--plot and --format cannot be used together");
    }
    run_agg(*options, code);
  });
}

}  // namespace steno::cli
