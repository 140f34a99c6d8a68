// steno cat: records as text, JSON lines, CSV or logfmt.
#include <unistd.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/split.h"
#include "command.h"
#include "commands/tail.h"
#include "input/inputs.h"
#include "input/shifts.h"
#include "lines/line_format.h"
#include "memory_limit.h"
#include "options/filter_options.h"
#include "options/format_options.h"
#include "options/jobs_option.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/chosen_lines.h"
#include "output/output.h"
#include "output/printing.h"
#include "output/progress.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/lines_of.h"
#include "reader/decode_failure.h"
#include "reader/loss_text.h"

namespace steno::cli {
namespace {

constexpr std::uint64_t kMostTop = 100'000;

struct CatOptions : FormatOptions {
  std::vector<std::string> paths;
  std::vector<std::string> live;
  query::FilterOptions filter;
  bool no_sort = false;
  bool count = false;
  std::optional<std::uint64_t> head;
  std::optional<std::uint64_t> tail;
  bool reverse = false;
  bool follow = false;
  std::optional<std::uint64_t> most_rate;
  std::optional<std::uint64_t> top;
  std::string argument;  // of top
  std::string lines_of;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  bool jobs_given = false;
  std::size_t memory = std::size_t{256} << 20;

  bool context() const { return before != 0 || after != 0; }
};

std::unique_ptr<Selection> choose_selection(const CatOptions& options) {
  if (options.context()) return select_context({options.before, options.after, options.head});
  return options.head && !options.reverse ? select_head(*options.head) : nullptr;
}

unsigned choose_jobs(const CatOptions& options, std::uint64_t records) {
  constexpr std::uint64_t kFewRecords = 50'000;  // not worth a thread
  return !options.jobs_given && records < kFewRecords ? 1 : thread_count();
}

// Counts without ordering or formatting records; for most blocks their directories are enough.
query::Answer count_records(const reader::LogSet& logs, const query::FilterOptions& filter, const Output& output) {
  query::Question question;
  std::optional<query::Predicate> predicate;
  if (filter.any()) predicate.emplace(or_throw(query::make_expression(filter, logs)), logs);
  question.operations = or_throw(query::parse_operations({"count"}));
  question.subject.logs = &logs;
  question.subject.predicate = predicate ? &*predicate : nullptr;
  Progress progress(output.is_terminal());
  question.subject.meter = progress.meter();
  return or_throw(query::aggregate(question));
}

void print_count(const reader::LogSet& logs, const query::FilterOptions& filter, Output* output, ExitCode* code) {
  if (filter.any()) explain_other_times(filter, logs);
  const query::Answer answer = count_records(logs, filter, *output);
  put(output->buffer(), machine_text(answer.rows[0].values[0], Zone::kUtc) + "\n");
  finish(*output, code);
  if (answer.records == 0) explain_nothing(filter, logs, code);
  if (output->good()) report_failures(logs, answer.failures, asked_times(filter, logs), code);
}

// The conditions of the options; none: there are none.
std::optional<query::Expression> condition_of(const CatOptions& options, const reader::LogSet& logs) {
  if (!options.filter.any()) return {};
  return or_throw(query::make_expression(options.filter, logs));
}

// The value of a result. Throws an error that begins with the option's name.
template <class T>
T value_for(const char* option, Result<T> result) {
  if (!result.ok()) throw CLI::ValidationError(std::string(option) + ": " + result.status().message());
  return std::move(result).value();
}

query::ChosenRecords choose_greatest(const reader::LogSet& logs, const CatOptions& options, WorkMeter* meter) {
  std::vector<query::Expression> all = {query::Expression::has_value(options.argument)};
  if (auto condition = condition_of(options, logs)) all.push_back(std::move(*condition));
  const query::Predicate predicate(query::Expression::all_of(std::move(all)), logs);
  query::Statement statement = query::all_statements(logs);
  const query::ArgumentOf argument =
      value_for("--arg", query::find_argument(statement, options.argument, query::Units::kTimes));
  statement.require(argument);
  query::Subject subject;
  subject.logs = &logs;
  subject.statement = &statement;
  subject.predicate = &predicate;
  subject.meter = meter;
  return value_for("--arg", query::find_greatest(subject, argument, *options.top));
}

// The first or the last ones, in the order of time.
query::ChosenRecords choose_ends(const reader::LogSet& logs, const CatOptions& options, WorkMeter* meter) {
  std::optional<query::Predicate> predicate;
  if (auto condition = condition_of(options, logs)) predicate.emplace(std::move(*condition), logs);
  query::Subject subject;
  subject.logs = &logs;
  subject.predicate = predicate ? &*predicate : nullptr;
  subject.meter = meter;
  if (options.head) return query::find_in_order(subject, query::TimeOrder::kOldest, *options.head);
  query::ChosenRecords chosen = query::find_in_order(subject, query::TimeOrder::kNewest, *options.tail);
  std::reverse(chosen.records.begin(), chosen.records.end());
  return chosen;
}

// The names of --lines-of: "request_id=query_id=id".
std::vector<std::string> names_of_keys(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : split(text, '=')) {
    if (name.empty()) throw CLI::ValidationError("--lines-of: '" + text + "' lacks a name; write request_id=query_id");
    names.emplace_back(name);
  }
  return names;
}

// The lines of the requests of the records that are selected, and how many these are, if that is known.
struct Requests {
  query::FoundLines found;
  std::optional<std::uint64_t> selected;
};

Requests choose_requests(const reader::LogSet& logs, const CatOptions& options, WorkMeter* meter) {
  constexpr std::size_t kMostKeys = 10'000;
  query::LinesOf question;
  question.names = names_of_keys(options.lines_of);
  question.most_keys = kMostKeys;
  query::ChosenRecords these;
  if (options.top || options.head || options.tail) {
    these = options.top ? choose_greatest(logs, options, meter) : choose_ends(logs, options, meter);
    question.these = &these.records;
  } else {
    question.condition = condition_of(options, logs);
  }
  Requests requests;
  requests.found = value_for("--lines-of", query::find_lines_of(logs, question, meter));
  reader::add_failures(these.failures, &requests.found.lines.failures);
  if (question.these != nullptr) requests.selected = these.records.size();
  return requests;
}

// Says on standard error that selected records have no key, so that no lines are those of their requests.
void explain_keys(const reader::LogSet& logs, const CatOptions& options, const Requests& requests, const Output& output,
                  ExitCode* code) {
  std::string names;
  for (const std::string& name : names_of_keys(options.lines_of)) names += (names.empty() ? "'" : " or '") + name + "'";
  if (requests.found.lines.keys != 0) {
    if (requests.found.without_key == 0) return;
    complain(reader::with_commas(requests.found.without_key) + " of the " + reader::with_commas(*requests.selected) +
             (requests.found.without_key == 1 ? " selected records has no " : " selected records have no ") + names);
    return;
  }
  const std::uint64_t selected =
      requests.selected ? *requests.selected : count_records(logs, options.filter, output).records;
  if (selected == 0) return explain_nothing(options.filter, logs, code);
  if (options.filter.fail_if_empty) raise_to(code, kExitIncomplete);
  complain(selected == 1 ? "the selected record has no " + names
                         : "none of the " + reader::with_commas(selected) + " selected records has " + names);
}

// Prints records in another order than that of time: together by a key,
void print_requests(const reader::LogSet& logs, const CatOptions& options, LineFormat& format, Output* output,
                    ExitCode* code) {
  if (options.filter.any()) explain_other_times(options.filter, logs);
  std::optional<Progress> progress(std::in_place, output->is_terminal());
  Requests requests = choose_requests(logs, options, progress->meter());
  progress.reset();
  query::ChosenRecords& lines = requests.found.lines;
  print_chosen(logs, &lines, true, format, output);
  finish(*output, code);
  if (!output->good()) return;
  explain_keys(logs, options, requests, *output, code);
  report_failures(logs, lines.failures, all_times(), code);
}

// or by the value of an argument.
void print_greatest(const reader::LogSet& logs, const CatOptions& options, LineFormat& format, Output* output,
                    ExitCode* code) {
  if (options.filter.any()) explain_other_times(options.filter, logs);
  std::optional<Progress> progress(std::in_place, output->is_terminal());
  query::ChosenRecords chosen = choose_greatest(logs, options, progress->meter());
  progress.reset();
  print_chosen(logs, &chosen, false, format, output);
  finish(*output, code);
  if (chosen.records.empty() && options.top != 0) explain_nothing(options.filter, logs, code);
  if (output->good()) report_failures(logs, chosen.failures, asked_times(options.filter, logs), code);
}

// Prints and follows logs as tail does, from the first record on.
void follow_all(const CatOptions& options, ExitCode* code) {
  TailOptions tail;
  static_cast<FormatOptions&>(tail) = options;
  tail.filter = options.filter;
  tail.paths = options.paths;
  tail.lines = options.tail;
  tail.all_lines = true;
  tail.follow = true;
  tail.most_rate = options.most_rate;
  run_tail(tail, code);
}

void run_cat(const CatOptions& options, ExitCode* code) {
  if (options.follow) return follow_all(options, code);
  Output output(STDOUT_FILENO);
  auto format = choose_format(options, options.filter.local, output);
  if (!format.ok()) throw CLI::ValidationError(format.status().message());

  reader::LogSet logs(options.filter.secrets);
  refuse_words(options.paths);
  open_inputs(options.paths, &logs, code);
  open_processes(options.live, &logs, code);
  bound_memory(size_of(logs), options.memory);
  if (logs.files().empty()) return;
  or_throw(shift_hosts(options.filter.shifts, logs, options.filter.reference));
  check_pattern_names(options, logs, false);
  format->begin(logs);
  if (!options.lines_of.empty()) return print_requests(logs, options, *format->make(), &output, code);
  if (options.top) return print_greatest(logs, options, *format->make(), &output, code);
  if (options.count) return print_count(logs, options.filter, &output, code);
  std::uint64_t records = 0;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) records += session->records;
  }
  const auto filter = filter_of(options.filter, logs);
  PrintOptions print;
  print.read.sort = !options.no_sort;
  print.read.filter = filter.get();
  print.read.keep_all = options.context();
  print.jobs = format->in_order() ? 1 : choose_jobs(options, records);
  print.memory = options.memory;
  print.tail = options.reverse && options.head ? options.head : options.tail;
  print.reverse = options.reverse;
  bool whole;
  bool empty;
  std::vector<reader::DecodeFailure> failures;
  {
    Progress progress(output.is_terminal());
    Printing printing(logs, print, format->make, choose_selection(options), &output, progress.meter());
    whole = printing.run();
    failures = printing.failures();
    empty = printing.printed() == 0 && options.head != 0 && options.tail != 0;
  }
  finish(output, code);
  if (empty && output.good()) explain_nothing(options.filter, logs, code);
  if (!whole || !output.good()) return;  // the reader of a pipe (`| head`) left: the rest is not missing
  report_failures(logs, failures, options.context() ? all_times() : asked_times(options.filter, logs), code);
}

void add_output_options(CLI::App& cat, CatOptions* options) {
  const char* group = "Output";
  add_format_options(cat, options, group);
  cat.add_flag("--no-sort", options->no_sort,
               "Print in the order of the files: only the records of each thread are in order")
      ->group(group);
  auto* count = cat.add_flag("--count", options->count, "Print only the number of records")->group(group);
  auto* head = cat.add_option("--head", options->head, "Print only the first N records")
                   ->type_name("N")
                   ->transform(whole_number())
                   ->group(group);
  auto* tail = cat.add_option("-n,--tail", options->tail, "Print only the last N records");
  tail->type_name("N")->transform(whole_number())->group(group)->excludes(head);
  auto* reverse = cat.add_flag("-r,--reverse", options->reverse,
                               "Print the last record first. What is printed is held in memory: use -n with large logs")
                      ->group(group);
  count->excludes(head)->excludes(tail)->excludes(reverse);
  auto* top = cat.add_option("--top", options->top, "Print the N records with the greatest values of --arg")
                  ->type_name("N")
                  ->transform(whole_number(0, kMostTop))
                  ->group(group)
                  ->excludes(head)
                  ->excludes(tail)
                  ->excludes(reverse)
                  ->excludes(count);
  auto* argument = cat.add_option("--arg", options->argument, "The argument, or field of context, that --top ranks by")
                       ->type_name("NAME")
                       ->group(group)
                       ->needs(top);
  top->needs(argument);
  auto* lines_of = cat.add_option("--lines-of", options->lines_of,
                                  "Print all records that share this field with one of those selected (with --top, "
                                  "--head or -n: with one of these N), grouped: --lines-of request_id; "
                                  "request_id=query_id if other statements name it differently")
                       ->type_name("NAME")
                       ->check(some_text("write the name of a field, like request_id"))
                       ->group(group)
                       ->excludes(reverse)
                       ->excludes(count);
  const auto context = [&](const char* names, const char* text, auto set) {
    auto* option = cat.add_option_function<std::uint64_t>(names, set, text);
    option->type_name("N")->transform(whole_number())->group(group)->excludes(tail)->excludes(count);
    option->excludes(reverse)->excludes(top)->excludes(lines_of);
  };
  context("-A,--after", "Also print the N records after each match",
          [=](const std::uint64_t& n) { options->after = n; });
  context("-B,--before", "Also print the N records before each match",
          [=](const std::uint64_t& n) { options->before = n; });
  context("-C,--context", "Also print the N records before and after each match",
          [=](const std::uint64_t& n) { options->before = options->after = n; });
  auto* follows =
      cat.add_flag("-f,--follow", options->follow, "Then print what is logged from now on, as 'steno tail -f'")
          ->group(group);
  for (const char* other :
       {"--no-sort", "--count", "--head", "--reverse", "--top", "--lines-of", "-A", "-B", "-C", "--live"})
    follows->excludes(cat.get_option(other));
  add_rate_option(cat, &options->most_rate);
  cat.get_option("--max-rate")->group(group)->needs(follows);
}

}  // namespace

void add_cat(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<CatOptions>();
  CLI::App* cat = app.add_subcommand("cat", "Print messages, ordered by time across all threads and files");
  cat->add_option("FILE", options->paths, "Files; '-' is standard input");
  cat->add_option("--live", options->live,
                  "A process, by process id or staging directory: its file and what is still in shared memory");
  add_level_options(*cat, &options->filter);
  add_filter_options(*cat, &options->filter);
  add_empty_option(*cat, &options->filter);
  add_output_options(*cat, options.get());
  const CLI::Option* jobs = add_jobs_option(*cat);
  cat->add_option(
         "--memory", options->memory,
         "Memory for reading and formatting ahead, in addition to the blocks whose times overlap (default 256M)")
      ->type_name("SIZE")
      ->transform(byte_size());
  cat->footer(
      "Examples:\n"
      "  steno cat --level WARN app.steno\n"
      "  steno cat --since '10m ago' --grep 'time.?out' -C 3 app.steno\n"
      "  steno cat --where 'qty > 100 and client == \"acme\"' --tail 20 app.steno\n"
      "  steno cat --time 08:00..08:01 --columns time,qty,client app.steno\n"
      "  steno cat --top 3 --arg qty app.steno\n"
      "  steno cat --top 10 --arg qty --lines-of client app.steno\n"
      "  steno cat --live 4711\n"
      "  steno cat --pattern '{time} {thread} {message}' a.steno b.steno\n"
      "  steno cat --format json app.steno | jq 'select(.args.qty > 100)'");
  cat->callback([options, jobs, code] {
    options->jobs_given = !jobs->empty();
    if (options->paths.empty() && options->live.empty()) throw CLI::RequiredError("FILE or --live");
    if (!options->pattern.empty() && options->format != "text") {
      throw CLI::ValidationError("--pattern", "works only with --format text");
    }
    run_cat(*options, code);
  });
}

}  // namespace steno::cli
