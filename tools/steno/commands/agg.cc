// steno agg: statistics of arguments, computed from the log.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/suggest.h"
#include "command.h"
#include "commands/agg_report.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "options/filter_options.h"
#include "options/format_options.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/meaning_cells.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/site_texts.h"
#include "output/svg.h"
#include "query/filter/said_unit.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/ranking.h"

namespace steno::cli {
namespace {

using query::AnswerRow;
using query::Cell;
using query::Operation;

bool has_list(const query::Question& question) {
  return std::any_of(question.operations.begin(), question.operations.end(), is_list);
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
  if (options.plot_is_wanted()) {
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

// The style of times in labels: that of a column of them.
std::shared_ptr<lines::TimeStyle> times_of_bars(const std::vector<AnswerRow>& rows) {
  std::vector<const Cell*> cells;
  for (const AnswerRow& row : rows) {
    for (const Cell& key : row.keys) cells.push_back(&key);
  }
  return shortest_times(cells);
}

// A table of places alone is read from its top, as that of `stat`.
void sort_places(const query::Question& question, query::RankingOptions* ranking) {
  const auto& keys = question.keys;
  const bool by_place =
      keys.size() == 1 && keys[0].by == query::KeySpec::By::kField && keys[0].field == query::Field::kSite;
  if (!by_place || !ranking->sort.empty() || has_list(question)) return;
  ranking->sort = question.operations[0].kind == Operation::Kind::kRatio ? "ratio" : question.operations[0].title;
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

// Sets the unit that texts say after the argument, and tells if they say several.
void take_said_unit(const query::Statement& statement, query::ArgumentOf* argument) {
  std::vector<std::string> units = query::said_units(statement, *argument);
  if (units.size() == 1) argument->said_unit = units[0];
  std::erase(units, "");
  if (units.size() > 1) {
    std::string all = units[0];
    for (std::size_t i = 1; i < units.size(); ++i) all += ", " + units[i];
    complain(argument->name + ": texts say several units after it (" + all +
             "), and its numbers are taken as they are; --site or a text selects a statement");
  }
}

// The names of arguments that operations may be meant of: those of numbers, if one needs a number, in statements that
// have all the keys.
std::vector<std::string> candidates(const query::Question& question, const std::vector<const reader::Site*>& sites) {
  const bool number = std::any_of(question.operations.begin(), question.operations.end(), query::needs_number);
  std::vector<std::string> names;
  for (const reader::Site* site : sites) {
    if (site->layout() == nullptr) continue;
    const bool has_keys = std::all_of(question.keys.begin(), question.keys.end(), [&](const query::KeySpec& key) {
      const bool may_lack = key.by == query::KeySpec::By::kArgument && key.argument.is_context;
      return !may_lack || key.argument.places.count(site->ordinal()) != 0;
    });
    const std::vector<std::string>& all = site->argument_names();
    for (std::size_t i = 0; has_keys && i < all.size(); ++i) {
      if (site->presences().is_field(i) || (number && is_string(site->layout()->fields[i].type))) continue;
      names.push_back(all[i]);
    }
  }
  for (const query::KeySpec& key : question.keys) std::erase(names, key.title);
  return names;
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
    throw CLI::ValidationError("which argument? Write --arg NAME, or the text of a statement after the files" +
                               choose_from(candidates(question, query::statements_of(opened.logs))));
  }
  const bool only_one = is_one && statement->sites[0]->info().argument_types().size() == 1;
  const bool has_argument = wants_argument || (question.operations.empty() && only_one);
  if (has_argument) {
    question.argument = or_throw(query::find_argument(*statement, options.argument, query::Units::kTimes));
    statement->require(question.argument);
    opened.require_value(options.question.filter, *statement, question.argument);
  }
  for (query::KeySpec& key : question.keys) {
    if (key.by != query::KeySpec::By::kArgument) continue;
    if (key.argument.is_both) {
      complain("--by " + key.title +
               ": this is an argument of some statements and a field of context of others; both count");
    }
    statement->require(key.argument);
    opened.require_value(options.question.filter, *statement, key.argument);
  }
  // Now the sites are known that have all that is asked for.
  if (has_argument) take_said_unit(*statement, &question.argument);
  for (query::KeySpec& key : question.keys) {
    if (key.by == query::KeySpec::By::kArgument) take_said_unit(*statement, &key.argument);
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

  TableStyle style = table_style(options.question, output);
  const std::string title = statement ? escaped(statement->format, Escape::kTerminal) : "all statements";
  const bool is_one = statement.has_value();
  options.by = query::plain_keys(options.by, is_one ? statement->sites : query::statements_of(opened->logs));
  if (!is_one && (!options.argument.empty() || query::name_arguments(options.by, query::statements_of(opened->logs))))
    statement = query::all_statements(opened->logs);
  std::optional<Progress> progress(std::in_place, output.is_terminal());
  query::Question question =
      make_question(options, *opened, statement ? &*statement : nullptr, is_one, progress->meter());
  sort_places(question, &options.ranking);
  query::Question shown = question;
  auto ranking = or_throw(
      query::Ranking::make(options.ranking, question, query::times_of(opened->logs, options.question.filter.local)));
  question.take_rows = [&, first = true](std::vector<AnswerRow> rows, bool last) mutable {
    rows = ranking.take(std::move(rows), last);
    if (options.plot_is_wanted() && !(first && last) && !rows.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    "the chart has more groups than fit into --memory; raise it, or select fewer records with --where");
    }
    if (rows.empty() && !(first && last)) return Status();
    add_meanings(question, &rows);
    const bool is_whole = first && last;
    style.heading = first || (style.format == TableFormat::kTable && has_list(question));
    first = false;
    if (options.plot && style.short_times) style.times = times_of_bars(rows);
    if (style.format == TableFormat::kTable && !is_pivot(options, question, is_whole)) {
      shown.keys = question.keys;
      add_site_texts(opened->logs, &shown.keys, &rows);
    }
    const AggReport report = {options, shown, rows, style, title, is_whole};
    append_report(report, output.buffer());
    if (!options.svg.empty()) write_picture(options.svg, svg_of_report(report), code);
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
  if (output.good())
    report_failures(opened->logs, answer->failures, asked_times(options.question.filter, opened->logs), code);
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
  agg->add_option(
         "--op", options->operations,
         "count min max mean median sum stddev p50 p99.9 (any percentile) distinct top[:N] hist[:N]; share "
         "(of the records selected that have the keys and the argument), ratio(level >= ERROR) (of the records of the "
         "row), first, last (time); separated by commas")
      ->allow_extra_args(false);
  agg->add_option("--arg", options->argument,
                  "The argument, by name or number; not needed if the statement has only one. Without a statement: of "
                  "all that have it");
  agg->add_option("--by", options->by,
                  "Group by level, thread, logger, site, host or another field, an argument (client), or steps of time "
                  "(time:1s, minute); up to four keys, separated by commas")
      ->allow_extra_args(false);
  agg->add_option("--having", options->ranking.having, "Only rows that satisfy a condition on columns: 'count > 100'")
      ->check(some_text("write a condition, like 'count > 100'"));
  agg->add_option("--sort", options->ranking.sort,
                  "Order of the rows, by columns: p99, or level,count:asc. Numbers are greatest first, times and keys "
                  "least first; -level is level:desc")
      ->check(some_text("write the name of a column, like count"));
  agg->add_option("--limit", options->ranking.limit, "Only the first N rows")
      ->type_name("N")
      ->transform(whole_number());
  add_time_format_option(*agg, &options->question.times);
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
      "  steno agg *.steno --op count --by level,thread");
  agg->callback([options, code] {
    if (options->plot && options->question.format != "table") {
      throw CLI::ValidationError("--plot and --format cannot be used together");
    }
    run_agg(*options, code);
  });
}

}  // namespace steno::cli
