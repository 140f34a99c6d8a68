// steno tail: prints the end of a log, and follows it.
#include "commands/tail.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "command.h"
#include "input/following.h"
#include "input/inputs.h"
#include "input/shifts.h"
#include "lines/rate_limit.h"
#include "options/filter_options.h"
#include "options/format_options.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/named_format.h"
#include "output/output.h"
#include "output/pager.h"
#include "output/printing.h"
#include "output/progress.h"
#include "output/screen.h"

namespace steno::cli {
namespace {

constexpr std::uint64_t kDefaultLines = 10;

void print_end(const reader::LogSet& logs, const TailOptions& options, const reader::RowFilter* filter,
               const Printing::MakeFormat& format, Output* output, ExitCode* code) {
  PrintOptions print;
  print.read.filter = filter;
  print.tail = options.last();
  Progress progress(output->is_terminal());
  Printing printing(logs, print, format, nullptr, output, progress.meter());
  const bool whole = printing.run();
  if (!options.follow && printing.printed() == 0 && options.last() != 0) explain_nothing(options.filter, logs, code);
  if (output->flush() && whole) report_failures(logs, printing.failures(), asked_times(options.filter, logs), code);
}

void follow(const TailOptions& options, const ChosenFormat& format, Output* output, ExitCode* code) {
  reader::LogSet logs(options.filter.secrets);
  Following following(options.paths, &logs, code);
  if (following.empty()) return;
  // Resolved once: "10m ago" must not move while the log is followed.
  std::unique_ptr<reader::RowFilter> filter;
  if (options.filter.any()) {
    std::vector<std::string> unknown;
    auto expression = query::make_expression(options.filter, logs, &unknown);
    if (!expression.ok()) throw CLI::ValidationError(expression.status().message());
    for (const std::string& sentence : unknown) complain(sentence + "; waiting for it");
    filter = query::make_filter(std::move(expression).value());
  }
  check_pattern_names(options, logs, true);
  format.begin(logs);
  // A pattern given by the user defines the whole line.
  const bool named = following.has_several() && options.pattern.empty();
  const auto make_format = [&](const std::string& path) {
    return named ? name_files_in(format.make(), line_kind_of(options.format), path) : format.make();
  };
  if (output->good()) {
    print_end(
        logs, options, filter.get(), [&] { return make_format(""); }, output, code);
  }
  following.explain_silence();
  catch_ends();
  const bool for_people = output->is_terminal() && options.format == "text";
  lines::RateLimit limit(options.most_rate.value_or(for_people ? lines::kMostOnTerminal : 0));
  following.run(make_format, filter.get(), &limit, output, code);
}

}  // namespace

std::optional<std::uint64_t> TailOptions::last() const {
  return lines || all_lines || !filter.since.empty() ? lines : std::optional(kDefaultLines);
}

void run_tail(const TailOptions& options, ExitCode* code) {
  if (options.follow) forbid_pager();
  if (options.follow && std::count(options.paths.begin(), options.paths.end(), "-") != 0) {
    throw CLI::ValidationError("standard input cannot be followed");
  }
  for (const auto& [option, given] : {std::pair("--reference", !options.filter.reference.empty()),
                                      std::pair("--shift", !options.filter.shifts.empty())}) {
    if (!options.follow || !given) continue;
    throw CLI::ValidationError(std::string(option) +
                               ": while a log is followed, times stay as they are; use steno cat without -f");
  }
  Output output(STDOUT_FILENO);
  auto format = choose_format(options, options.filter.local, output);
  if (!format.ok()) throw CLI::ValidationError(format.status().message());
  if (options.follow) {
    follow(options, *format, &output, code);
  } else {
    reader::LogSet logs(options.filter.secrets);
    refuse_words(options.paths);
    open_inputs(options.paths, &logs, code);
    if (logs.files().empty()) return;
    or_throw(shift_hosts(options.filter.shifts, logs, options.filter.reference));
    check_pattern_names(options, logs, false);
    format->begin(logs);
    const auto filter = filter_of(options.filter, logs);
    print_end(logs, options, filter.get(), format->make, &output, code);
  }
  finish(output, code);
}

void add_rate_option(CLI::App& command, std::optional<std::uint64_t>* most_rate) {
  command
      .add_option(
          "--max-rate", *most_rate,
          "With -f: print at most N lines a second of a statement, then how many more there were (default 50 on "
          "a terminal; 0: all)")
      ->type_name("N")
      ->transform(whole_number());
}

void add_tail(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<TailOptions>();
  CLI::App* tail = app.add_subcommand("tail", "Print the end of a log; with -f, also what is logged from now on");
  tail->add_option("FILE", options->paths, "Log files; with -f they need not exist yet; '-' is standard input")
      ->required();
  tail->add_flag("-f,--follow", options->follow,
                 "Keep printing new records, read directly from the rings, across restarts and rotation");
  tail->add_option("-n,--lines", options->lines, "Number of existing lines to print (default 10; with --since: all)")
      ->type_name("N")
      ->transform(whole_number());
  add_rate_option(*tail, &options->most_rate);
  add_level_options(*tail, &options->filter);
  add_filter_options(*tail, &options->filter);
  add_empty_option(*tail, &options->filter);
  add_format_options(*tail, options.get(), "Output");
  tail->footer(
      "With -f a message is printed within about a millisecond of its call. Messages are ordered by time, except those "
      "whose thread was interrupted for more than 0.1 ms inside the call: these are printed when they arrive.\n\n"
      "Examples:\n  steno tail -n 20 app.steno\n  steno tail -f --level WARN app.steno\n  steno tail -f --since '10m "
      "ago' --where 'qty > 100' "
      "app.steno");
  tail->callback([options, code] { run_tail(*options, code); });
}

}  // namespace steno::cli
