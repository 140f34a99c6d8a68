// steno trace: records as a trace, for programs that draw traces.
#include <unistd.h>

#include "base/parallel.h"
#include "command.h"
#include "commands/pair_report.h"
#include "input/inputs.h"
#include "input/shifts.h"
#include "memory_limit.h"
#include "options/filter_options.h"
#include "options/jobs_option.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/output.h"
#include "output/printing.h"
#include "output/progress.h"
#include "output/trace_format.h"
#include "query/statistics/pair.h"

namespace steno::cli {
namespace {

constexpr std::size_t kMostPairs = 1'000'000;
constexpr std::size_t kMemoryOfTrace = std::size_t{512} << 20;

struct TraceOptions {
  std::vector<std::string> paths;
  query::FilterOptions filter;
  std::vector<std::string> counters;
  std::vector<std::string> pair;  // the texts of two statements
  std::vector<std::string> keys;
  bool no_instants = false;
};

query::Subject subject_of_trace(const reader::LogSet& logs, const query::FilterOptions& filter,
                                std::optional<query::Predicate>* predicate) {
  query::Subject subject;
  subject.logs = &logs;
  if (!filter.any()) return subject;
  subject.span = or_throw(query::wanted_span(filter, logs));
  predicate->emplace(or_throw(query::make_expression(filter, logs)), logs);
  subject.predicate = &**predicate;
  return subject;
}

// Each pair as two events of a track of its own, from the first record to the second.
void append_pairs(const TraceOptions& options, const query::Subject& subject, const TraceFrame& frame,
                  ByteBuffer& out) {
  query::PairQuestion question;
  question.subject = subject;
  question.first = or_throw(query::find_statement(*subject.logs, options.pair[0]));
  question.second = or_throw(query::find_statement(*subject.logs, options.pair[1]));
  for (const std::string& text : options.keys) {
    question.keys.push_back(or_throw(query::parse_pair_key(text, question.first, question.second)));
    question.first.require(question.keys.back().first);
    question.second.require(question.keys.back().second);
  }
  question.slowest = kMostPairs;
  question.memory = kMemoryOfTrace;
  const query::PairAnswer answer = or_throw(query::pair_records(question));
  const std::string name = lines::json_escaped(question.first.format + " → " + question.second.format);
  const std::string process = std::to_string(TraceFrame::kNoProcess);
  put(out,
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + process + ",\"tid\":0,\"args\":{\"name\":\"pairs\"}},\n");
  std::size_t number = 0;
  for (const query::PairedRecords& pair : answer.slowest) {
    std::string keys;
    for (std::size_t k = 0; k < pair.keys.size(); ++k) {
      keys += (keys.empty() ? "\"" : ",\"") + lines::json_escaped(question.keys[k].title) + "\":\"" +
              lines::json_escaped(machine_text(pair.keys[k], Zone::kUtc)) + "\"";
    }
    ++number;
    for (const char phase : {'b', 'e'}) {
      put(out, std::string("{\"ph\":\"") + phase + "\",\"cat\":\"pair\",\"id\":\"" + std::to_string(number) +
                   "\",\"name\":\"" + name + "\",\"pid\":" + process + ",\"tid\":0,\"ts\":");
      frame.append_time(phase == 'b' ? pair.begin : pair.begin + pair.duration, out);
      put(out, phase == 'b' ? ",\"args\":{" + keys + "}},\n" : "},\n");
    }
  }
  explain_pairs(answer, "; another --key tells them apart", !options.filter.shifts.empty());
  if (answer.durations.count > answer.slowest.size()) {
    complain("the trace has only the slowest " + reader::with_commas(answer.slowest.size()) + " of " +
             reader::with_commas(answer.durations.count) + " pairs");
  }
}

void run_trace(const TraceOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  reader::LogSet logs(options.filter.secrets);
  refuse_words(options.paths);
  open_inputs(options.paths, &logs, code);
  if (logs.files().empty()) return;
  bound_memory(size_of(logs), 2 * kMemoryOfTrace);
  or_throw(shift_hosts(options.filter.shifts, logs, options.filter.reference));
  const query::Statement all = query::all_statements(logs);
  for (const std::string& name : options.counters) or_throw(query::find_argument(all, name, query::Units::kTimes));
  std::optional<query::Predicate> predicate;
  const query::Subject subject = subject_of_trace(logs, options.filter, &predicate);
  if (options.filter.any()) explain_other_times(options.filter, logs);
  const auto frame =
      std::make_shared<const TraceFrame>(subject, TraceFrame::Options{options.counters, !options.no_instants});
  ByteBuffer pairs;
  if (!options.pair.empty()) append_pairs(options, subject, *frame, pairs);
  const auto filter = filter_of(options.filter, logs);
  PrintOptions print;
  print.read.filter = filter.get();
  print.jobs = thread_count();
  frame->append_head(logs, output.buffer());
  bool whole;
  std::uint64_t printed;
  std::vector<reader::DecodeFailure> failures;
  {
    Progress progress(output.is_terminal());
    Printing printing(
        logs, print, [&] { return make_trace_format(frame); }, nullptr, &output, progress.meter());
    whole = printing.run();
    printed = printing.printed();
    failures = printing.failures();
  }
  if (whole) {
    put(output.buffer(), {reinterpret_cast<const char*>(pairs.data()), pairs.size()});
    frame->append_tail(output.buffer());
  }
  finish(output, code);
  if (printed == 0 && output.good()) explain_nothing(options.filter, logs, code);
  if (whole && output.good()) report_failures(logs, failures, asked_times(options.filter, logs), code);
}

}  // namespace

void add_trace(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* trace = app.add_subcommand("trace", "Print logs as a trace that Perfetto opens: spans, counters, records");
  trace->add_option("FILE", options->paths, "Files; '-' is standard input")->required();
  add_level_options(*trace, &options->filter);
  add_filter_options(*trace, &options->filter);
  trace
      ->add_option("--counter", options->counters,
                   "An argument whose numbers are drawn as a counter of their process; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  CLI::Option* pair =
      trace->add_option("--pair", options->pair, "Also the time from a record of one statement to that of another")
          ->type_name("FIRST SECOND")
          ->expected(2);
  CLI::Option* key = trace
                         ->add_option("--key", options->keys,
                                      "The argument that both records of a pair share, as of 'steno pair'; may be "
                                      "repeated")
                         ->type_name("NAME")
                         ->allow_extra_args(false)
                         ->needs(pair);
  pair->needs(key);
  trace->add_flag("--no-instants", options->no_instants, "Leave out records that are neither spans nor counters");
  add_jobs_option(*trace);
  trace->footer(
      "Examples:\n  steno trace app.steno > app.json\n"
      "  steno trace app.steno --time 08:00..08:01 --counter qty > minute.json\n"
      "  steno trace app.steno --pair sent acked --key id --no-instants > o.json\n\n"
      "Open the file in ui.perfetto.dev or chrome://tracing. Times count from the second in which the log begins, "
      "to the nanosecond.");
  trace->callback([options, code] { run_trace(*options, code); });
}

}  // namespace steno::cli
