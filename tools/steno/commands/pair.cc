// steno pair: the time between two statements that share a key, or between begin and end of spans.
#include <unistd.h>

#include "command.h"
#include "commands/pair_report.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "options/filter_options.h"
#include "options/format_options.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/chosen_lines.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/svg.h"
#include "query/filter/time_spec.h"

namespace steno::cli {
namespace {

constexpr std::size_t kMostSlow = 1000;

// Prints the lines of those listed, as `cat` does.
void append_lines(const reader::LogSet& logs, const PairOptions& options, query::ChosenRecords* lines, Output* output) {
  FormatOptions format;
  format.times = options.question.times;
  const ChosenFormat chosen = or_throw(choose_format(format, options.question.filter.local, *output));
  chosen.begin(logs);
  put(output->buffer(), "\n");
  print_chosen(logs, lines, true, *chosen.make(), output);
}

void add_keys(const PairOptions& options, query::PairQuestion* question) {
  for (const std::string& text : options.keys) {
    question->keys.push_back(or_throw(query::parse_pair_key(text, question->first, question->second)));
  }
  for (const std::string& text : options.same) {
    query::PairKey key;
    key.field = query::field_named(text, {});
    key.title = text;
    if (!query::is_pair_field(key.field)) {
      throw CLI::ValidationError("--same: '" + text +
                                 "' is none of thread, tid, pid, program, host, logger; for an argument write --key " +
                                 text);
    }
    question->keys.push_back(std::move(key));
  }
}

void run_pair(const PairOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  const std::vector<std::string>& words = options.question.words;
  if (!options.spans && options.keys.empty() && options.same.empty()) throw CLI::RequiredError("--key");
  if (!options.spans && words.size() < 3)
    throw CLI::ValidationError("write the files, then the text of the first and of the second statement");
  const auto opened = open_question({words.begin(), words.end() - (options.spans ? 0 : 2)}, options.question, code);
  if (opened == nullptr) return;
  bound_memory(size_of(opened->logs), options.memory);
  query::PairQuestion question;
  const TableStyle style = table_style(options.question, output);
  std::optional<Progress> progress(std::in_place, output.is_terminal());
  question.subject = opened->subject(progress->meter());
  if (options.spans) {
    auto spans = query::find_spans(opened->logs);
    if (!spans) throw CLI::ValidationError("--spans: these files have no spans");
    question.first = std::move(spans->begins);
    question.second = std::move(spans->ends);
    question.keys = {{query::Field::kArgument, std::move(spans->begin_key), std::move(spans->end_key), "span"}};
  } else {
    question.first = or_throw(query::find_statement(opened->logs, words[words.size() - 2]));
    question.second = or_throw(query::find_statement(opened->logs, words.back()));
  }
  add_keys(options, &question);
  for (const query::PairKey& key : question.keys) {
    if (key.field != query::Field::kArgument) continue;
    question.first.require(key.first);
    question.second.require(key.second);
  }
  question.nearest = options.nearest;
  question.above = options.above;
  question.lines = options.lines;
  const query::TimeSpan recorded = query::recorded_span(opened->logs);
  std::vector<const reader::Site*> sites = question.first.sites;
  sites.insert(sites.end(), question.second.sites.begin(), question.second.sites.end());
  question.by = or_throw(query::parse_pair_by(query::plain_keys(options.by, sites), question.first, question.second,
                                              options.question.filter.local ? &recorded : nullptr));
  question.slowest = options.slowest.value_or(options.above != INT64_MIN ? kMostSlow : 10);
  question.memory = options.memory;
  query::PairAnswer answer = or_throw(query::pair_records(question));
  progress.reset();
  if (style.format == TableFormat::kJson) make_ids_texts(options.spans, &answer);
  const PairReport report(answer, question, options, style);
  report.append(output.buffer());
  if (!options.svg.empty()) write_picture(options.svg, report.svg(), code);
  if (options.lines && !answer.lines.records.empty()) append_lines(opened->logs, options, &answer.lines, &output);
  finish(output, code);
  const char* const advice = options.nearest ? ""
                                             : "; --nearest takes the latest of them, and --same thread, or another "
                                               "--key, tells them apart";
  explain_pairs(answer, options.spans ? nullptr : advice, !options.question.filter.shifts.empty());
  if (output.good())
    report_failures(opened->logs, answer.failures, asked_times(options.question.filter, opened->logs), code);
}

}  // namespace

void add_pair(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<PairOptions>();
  CLI::App* pair = app.add_subcommand("pair", "Measure the time between two statements that share a key");
  add_question_options(*pair, &options->question, "Files, then the text of the first and of the second statement");
  CLI::Option* key =
      pair->add_option("--key", options->keys,
                       "The argument that matches records of the two, by name or number; id=order_id if its names "
                       "differ. Given again: both must match")
          ->allow_extra_args(false);
  CLI::Option* same = pair->add_option("--same", options->same,
                                       "Also the same thread, tid, pid, program, host or logger; may be repeated")
                          ->allow_extra_args(false);
  pair->add_flag("--nearest", options->nearest,
                 "Pair with the latest record of the first that waits, not the earliest: of retries the last one");
  pair->add_flag_callback(
          "--spans", [options] { options->spans = true; },
          "Measure spans, from begin to end, instead of two statements")
      ->excludes(key)
      ->excludes(same);
  pair->add_option_function<std::string>(
          "--above",
          [options](const std::string& text) {
            const auto duration = query::parse_duration(text);
            if (!duration.ok()) throw CLI::ValidationError("--above", duration.status().message());
            options->above = *duration;
          },
          "List only pairs that take at least this long, 50ms, and also count them; all else is of all pairs")
      ->type_name("TIME");
  pair->add_option("--slowest", options->slowest, "Number of slowest pairs to show (default 10; with --above 1000)")
      ->type_name("N")
      ->transform(whole_number(0, kMostSlow));
  pair->add_option("--by", options->by,
                   "Group pairs by a field, argument or step of time (time:1m) of the first line, or what only the "
                   "second one has; up to four keys, separated by commas")
      ->allow_extra_args(false);
  pair->add_flag("--plot", options->plot,
                 "Draw bars on the terminal: how many pairs take how long, on a logarithmic scale; with --by the p99 "
                 "of each group");
  pair->add_option("--svg", options->svg, "Write the chart to this file, as SVG");
  pair->add_flag("--lines", options->lines, "Also print both lines of each of these");
  add_time_format_option(*pair, &options->question.times);
  add_memory_option(*pair, &options->memory);
  pair->footer(
      "Examples:\n  steno pair app.steno 'order sent {id}' 'order acked {id}' --key id\n"
      "  steno pair app.steno sent acked --key id --slowest 3\n"
      "  steno pair app.steno sent acked --key id --nearest --above 1us --lines\n"
      "  steno pair app.steno sent acked --key id --by thread --plot\n\n"
      "Each record of the second statement is paired with the earliest unpaired record of the first that has the same "
      "key.");
  pair->callback([options, code] {
    if (options->lines && options->question.format != "table") {
      throw CLI::ValidationError("--lines and --format cannot be used together");
    }
    if (options->plot && options->question.format != "table") {
      throw CLI::ValidationError("--plot and --format cannot be used together");
    }
    run_pair(*options, code);
  });
}

}  // namespace steno::cli
