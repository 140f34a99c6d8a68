// steno pair: the time between two statements that share a key, or between begin and end of spans.
#include <unistd.h>

#include "command.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/output.h"
#include "output/plot.h"
#include "output/progress.h"
#include "query/statistics/pair.h"

namespace steno::cli {
namespace {

using query::Cell;

struct PairOptions {
  QuestionOptions question;
  std::string key;
  bool spans = false;
  std::size_t slowest = 10;
  std::uint64_t memory = std::uint64_t{1} << 30;
};

// A duration; for people with its unit, for machines in ns.
Cell duration_cell(double ns, const TableStyle& style) {
  if (style.format == TableFormat::kTable) return Cell::of_text(duration_text(ns));
  return Cell::of_real(ns);
}
Cell duration_cell(std::int64_t ns, const TableStyle& style) {
  if (style.format == TableFormat::kTable) return Cell::of_text(duration_text(static_cast<double>(ns)));
  return Cell::of(ns);
}

std::string quantile_name(double quantile) {
  return "p" + machine_text(Cell::of_real(quantile * 100), Zone::kUtc);
}

Table summary(const query::PairAnswer& answer, const TableStyle& style) {
  Table table;
  auto& row = table.rows.emplace_back();
  const auto add = [&](const std::string& name, Cell cell) {
    table.columns.push_back(name);
    row.push_back(std::move(cell));
  };
  const query::Moments& d = answer.durations;
  const bool any = d.count != 0;
  add("pairs", Cell::of(static_cast<text::Int128>(d.count)));
  add("first_alone", Cell::of(static_cast<text::Int128>(answer.first_alone)));
  add("second_alone", Cell::of(static_cast<text::Int128>(answer.second_alone)));
  const auto of_key = [](std::uint64_t key) { return static_cast<std::int64_t>(key ^ query::kSignBit); };
  add("min", any ? duration_cell(of_key(d.least), style) : Cell());
  add("mean", any ? duration_cell(d.mean_value(query::NumberKind::kSigned), style) : Cell());
  for (const auto& [quantile, value] : answer.quantiles) add(quantile_name(quantile), duration_cell(value, style));
  add("max", any ? duration_cell(of_key(d.greatest), style) : Cell());
  return table;
}

Table slowest(const query::PairAnswer& answer, const TableStyle& style, const std::string& key) {
  Table table;
  table.columns = {key, "begin", "duration"};
  for (const query::PairedRecords& one : answer.slowest) {
    table.rows.push_back({one.key, Cell::of_time(one.begin), duration_cell(one.duration, style)});
  }
  return table;
}

Table alone(const std::vector<query::UnpairedRecord>& examples, const std::string& key) {
  Table table;
  table.columns = {key, "time"};
  for (const query::UnpairedRecord& one : examples) table.rows.push_back({one.key, Cell::of_time(one.time)});
  return table;
}

std::string json_rows(const Table& table, const TableStyle& style) {
  ByteBuffer out;
  append_table(table, style, out);
  std::string text(reinterpret_cast<const char*>(out.data()), out.size());
  for (char& c : text) c = c == '\n' ? ',' : c;
  if (!text.empty()) text.pop_back();
  return "[" + text + "]";
}

void append_answer(const query::PairAnswer& answer, const PairOptions& options, const TableStyle& style,
                   ByteBuffer& out) {
  const Table totals = summary(answer, style);
  const Table slow = slowest(answer, style, options.key);
  if (style.format == TableFormat::kJson) {
    std::string line = json_rows(totals, style);
    line = line.substr(1, line.size() - 3);  // the object, open at its end
    line += ",\"slowest\":" + json_rows(slow, style) +
            ",\"first_examples\":" + json_rows(alone(answer.first_examples, options.key), style) +
            ",\"second_examples\":" + json_rows(alone(answer.second_examples, options.key), style) + "}\n";
    return put(out, line);
  }
  append_table(totals, style, out);
  if (style.format == TableFormat::kCsv) return;
  if (!slow.rows.empty()) {
    put(out, "\nslowest\n");
    append_table(slow, style, out);
  }
  const auto examples = [&](const char* title, const std::vector<query::UnpairedRecord>& list) {
    if (list.empty()) return;
    put(out, std::string("\n") + title + ", the earliest\n");
    append_table(alone(list, options.key), style, out);
  };
  examples(options.spans ? "begun, without an end" : "first without second", answer.first_examples);
  examples(options.spans ? "ended, without a begin" : "second without first", answer.second_examples);
}

void run_pair(const PairOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  const std::vector<std::string>& words = options.question.words;
  if (!options.spans && options.key.empty()) throw CLI::RequiredError("--key");
  if (!options.spans && words.size() < 3)
    throw CLI::ValidationError("write the files, then the text of the first and of the second statement");
  const auto opened = open_question({words.begin(), words.end() - (options.spans ? 0 : 2)}, options.question, code);
  if (opened == nullptr) return;
  bound_memory(size_of(opened->logs), options.memory);
  query::PairQuestion question;
  std::optional<Progress> progress(std::in_place, output.is_terminal());
  question.subject = opened->subject(progress->meter());
  if (options.spans) {
    auto spans = query::find_spans(opened->logs);
    if (!spans) throw CLI::ValidationError("--spans: these files have no spans");
    question.first = std::move(spans->begins);
    question.second = std::move(spans->ends);
    question.first_key = std::move(spans->begin_key);
    question.second_key = std::move(spans->end_key);
  } else {
    question.first = or_throw(query::find_statement(opened->logs, words[words.size() - 2]));
    question.second = or_throw(query::find_statement(opened->logs, words.back()));
    question.first_key = or_throw(query::find_argument(question.first, options.key));
    question.second_key = or_throw(query::find_argument(question.second, options.key));
  }
  question.first.require(question.first_key);
  question.second.require(question.second_key);
  question.slowest = options.slowest;
  question.memory = options.memory;
  const query::PairAnswer answer = or_throw(query::pair_records(question));
  progress.reset();
  TableStyle style;
  style.format = table_format_of(options.question.format);
  style.escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  style.width = output.is_terminal() ? terminal_width(STDOUT_FILENO) : 0;
  style.zone = options.question.filter.local ? Zone::kLocal : Zone::kUtc;
  append_answer(answer, options, style, output.buffer());
  finish(output, code);
  if (output.good()) report_failures(opened->logs, answer.failures, code);
}

}  // namespace

void add_pair(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<PairOptions>();
  CLI::App* pair = app.add_subcommand("pair", "Measure the time between two statements that share a key");
  add_question_options(*pair, &options->question, "Files, then the text of the first and of the second statement");
  CLI::Option* key =
      pair->add_option("--key", options->key, "The argument that matches records of the two, by name or number");
  pair->add_flag_callback(
          "--spans",
          [options] {
            options->spans = true;
            options->key = "span";
          },
          "Measure spans, from begin to end, instead of two statements")
      ->excludes(key);
  pair->add_option("--slowest", options->slowest, "Number of slowest pairs to show (default 10)")
      ->type_name("N")
      ->transform(whole_number(0, 1000));
  add_memory_option(*pair, &options->memory);
  pair->footer(
      "Examples:\n  steno pair app.steno 'order sent {id}' 'order acked {id}' --key id\n"
      "  steno pair app.steno sent acked --key id --slowest 3\n"
      "  steno pair app.steno sent acked --key id --format json\n\n"
      "Each record of the second statement is paired with the earliest unpaired record of the first that has the same "
      "key.");
  pair->callback([options, code] { run_pair(*options, code); });
}

}  // namespace steno::cli
