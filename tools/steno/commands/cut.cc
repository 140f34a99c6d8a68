// steno cut: some records of logs as a log of their own.

#include "command.h"
#include "input/inputs.h"
#include "input/shifts.h"
#include "options/filter_options.h"
#include "options/question.h"
#include "rewrite/copy.h"
#include "rewrite/new_log.h"

namespace steno::cli {
namespace {

struct CutOptions : NewLogOptions {
  query::FilterOptions filter;
};

void run_cut(CutOptions options, ExitCode* code) {
  reader::LogSet logs(options.filter.secrets);
  refuse_words(options.paths);
  open_inputs(options.paths, &logs, code);
  if (logs.files().empty()) return;
  or_throw(shift_hosts(options.filter.shifts, logs, options.filter.reference));
  const std::unique_ptr<reader::RowFilter> filter = filter_of(options.filter, logs);
  options.asked = asked_times(options.filter, logs);
  CopyRules rules;
  rules.filter = filter.get();
  rules.new_sessions = true;
  rules.renumber = true;
  const std::optional<Copied> copied = write_new_log(logs, options, rules, nullptr, code);
  if (copied && copied->records == 0) explain_nothing(options.filter, logs, code);
}

}  // namespace

void add_cut(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<CutOptions>();
  CLI::App* cut = app.add_subcommand("cut", "Write some records of logs to a log of their own");
  add_new_log_options(*cut, options.get());
  add_filter_options(*cut, &options->filter);
  add_level_options(*cut, &options->filter);
  cut->footer(
      "Examples:\n  steno cut app.steno --time 08:00..08:01 -o part.steno\n"
      "  steno cut app.steno --where 'qty > 100' -o p.steno && steno verify p.steno\n"
      "  steno cut a.steno b.steno --level WARN -o warnings.steno\n\n"
      "The new file is a log like any other. Its sessions have ids of their own and number their records anew; 'steno "
      "verify' says how many were left out. Values of secrets are not in it, unless --show-secrets asks for them.\n"
      "Exit status 1: a part of the logs could not be read, and the file has the rest; or no record was chosen, and no "
      "file is written.");
  cut->callback([options, code] { run_cut(*options, code); });
}

}  // namespace steno::cli
