// steno clocks: how far the clocks of hosts are apart.
#include <algorithm>

#include "command.h"
#include "input/inputs.h"
#include "input/shifts.h"
#include "options/filter_options.h"
#include "options/question.h"
#include "output/output.h"
#include "output/progress.h"
#include "query/statistics/clock_groups.h"
#include "query/statistics/order_search.h"

namespace steno::cli {
namespace {

using query::Cell;
using query::ClockShift;

struct ClocksOptions {
  QuestionOptions question;
  std::vector<std::string> keys;
  std::string reference;
};

// The words after the files: two statements, or two twice.
std::size_t count_statements(const std::vector<std::string>& words) {
  std::size_t statements = 0;
  while (statements < words.size() && !names_files(words[words.size() - 1 - statements])) ++statements;
  return statements;
}

Cell shift_cell(text::Int128 ns, const TableStyle& style) {
  if (style.format == TableFormat::kTable) return Cell::of_text(duration_text(static_cast<double>(ns)));
  return Cell::of(ns);
}

// How far the clock of a host is ahead; people read "1.7 s behind", for signs are misread.
Cell ahead_cell(text::Int128 ns, const TableStyle& style) {
  if (style.format != TableFormat::kTable || ns == 0) return shift_cell(ns, style);
  return Cell::of_text(duration_text(static_cast<double>(ns < 0 ? -ns : ns)) + (ns < 0 ? " behind" : " ahead"));
}

Table table_of_shifts(const query::ClockShifts& answer, const TableStyle& style) {
  Table table;
  const std::string ahead = style.format == TableFormat::kTable ? "clock" : "ahead";
  table.columns = {"host", "reference", ahead, "uncertainty", "least", "most", "forth", "back"};
  for (const ClockShift& shift : answer.shifts) {
    const bool known = shift.bounded() && !shift.contradicts();
    table.rows.push_back(
        {Cell::of_text(shift.host), Cell::of_text(shift.reference), known ? ahead_cell(shift.middle(), style) : Cell(),
         known ? shift_cell(shift.uncertainty(), style) : Cell(),
         shift.back != 0 ? ahead_cell(shift.least, style) : Cell(),
         shift.forth != 0 ? ahead_cell(shift.most, style) : Cell(), Cell::of(static_cast<text::Int128>(shift.forth)),
         Cell::of(static_cast<text::Int128>(shift.back))});
  }
  return table;
}

// The last line is for the command lines of others, "--shift db1=-1700050000ns". Names of hosts come from the logs: a
// name that a terminal would not show as it is stands in no option.
void say_what_follows(const query::ClockShifts& answer, const std::string& reference, ByteBuffer& out) {
  const auto shown = [](const std::string& host) { return escaped(host, Escape::kTerminal); };
  for (const ClockShift& shift : answer.shifts) {
    const std::string hosts = shown(shift.host) + " and " + shown(shift.reference);
    if (shift.contradicts()) {
      put(out,
          "\n" + hosts + ": no one shift fits all pairs; clocks drifted or were set: ask with --since and --until\n");
    } else if (!shift.bounded()) {
      put(out, "\n" + hosts + ": pairs of one direction give only a bound; name two statements of the other as well\n");
    }
  }
  std::string options;
  for (const query::ClockGroup& group : query::group_clocks(answer.shifts, reference)) {
    if (!group.fits) {
      std::string hosts;
      for (const std::string& host : group.hosts) hosts += (hosts.empty() ? "" : ", ") + shown(host);
      put(out, "\n" + hosts +
                   ": no shifts fit all pairs together; clocks drifted or were set: ask with --since and --until\n");
    }
    for (const query::HostShift& shift : group.shifts) {
      const std::string option = shift_text(shift);
      if (shown(option) == option) {
        options += (options.empty() ? "--shift " : " --shift ") + shell_word(option);
        continue;
      }
      const double ns = static_cast<double>(shift.ahead);
      put(out, "\n" + shown(shift.host) + ": its times are " + duration_text(ns < 0 ? -ns : ns) + " too " +
                   (ns < 0 ? "early" : "late") + "; no option can name it\n");
    }
  }
  if (!options.empty()) put(out, "\n" + options + "\n");
}

// The statements that the words name, `statements` of them at their end.
std::vector<query::OrderedStatements> ordered_by_words(const Opened& opened, const ClocksOptions& options,
                                                       std::size_t statements) {
  const std::vector<std::string>& words = options.question.words;
  std::vector<query::OrderedStatements> ordered;
  for (auto word = words.end() - static_cast<std::ptrdiff_t>(statements); word != words.end(); word += 2) {
    query::OrderedStatements& one = ordered.emplace_back();
    one.first = or_throw(query::find_statement(opened.logs, word[0]));
    one.second = or_throw(query::find_statement(opened.logs, word[1]));
    for (const std::string& key : options.keys) {
      const bool turned = ordered.size() == 2 && key.find('=') != std::string::npos;
      const std::size_t equals = key.find('=');
      // The way back has the two names in the other order.
      const std::string own = turned ? key.substr(equals + 1) + "=" + key.substr(0, equals) : key;
      one.keys.push_back(or_throw(query::parse_pair_key(own, one.first, one.second)));
      one.first.require(one.keys.back().first);
      one.second.require(one.keys.back().second);
    }
  }
  return ordered;
}

void run_clocks(const ClocksOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  const std::vector<std::string>& words = options.question.words;
  const std::size_t statements = count_statements(words);
  const bool searches = statements == 0 && options.keys.empty();
  if (!searches && (statements == 0 || statements % 2 != 0 || statements == words.size())) {
    const std::string taken =
        statements == 0 ? "" : "; '" + words[words.size() - statements] + "' is no file, so it was read as a statement";
    throw CLI::ValidationError(
        "write the files, then two statements of which the first comes before the second on another host: 'sent {id}' "
        "'received {id}'; and two of the way back, if there are such" +
        taken);
  }
  if (!searches && options.keys.empty()) throw CLI::RequiredError("--key");
  const TableStyle style = table_style(options.question, output);
  const auto opened =
      open_question({words.begin(), words.end() - static_cast<std::ptrdiff_t>(statements)}, options.question, code);
  if (opened == nullptr) return;
  or_throw(check_reference(options.reference, opened->logs));
  std::optional<Progress> progress(std::in_place, output.is_terminal());
  const query::Subject subject = opened->subject(progress->meter());
  const std::vector<query::OrderedStatements> ordered =
      searches ? query::find_ordered_statements(subject) : ordered_by_words(*opened, options, statements);
  const query::ClockShifts answer = query::find_clock_shifts(subject, ordered);
  progress.reset();
  if (searches && ordered.empty()) {
    throw CLI::ValidationError(
        "no requests are known that enclose work on another host; write two statements of which the first comes before "
        "the second: 'sent {id}' 'received {id}' --key id");
  }
  append_table(table_of_shifts(answer, style), style, output.buffer());
  if (style.format == TableFormat::kTable) say_what_follows(answer, options.reference, output.buffer());
  finish(output, code);
  if (searches) complain("the statements that must be in order are " + words_for_clocks(ordered));
  if (answer.shifts.empty()) complain("no two hosts have records with the same key");
  if (answer.left_out != 0) {
    complain(reader::with_commas(answer.left_out) +
             " keys are left out, because they are in another number of first lines than of second ones");
  }
  if (output.good())
    report_failures(opened->logs, answer.failures, asked_times(options.question.filter, opened->logs), code);
}

}  // namespace

void add_clocks(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<ClocksOptions>();
  CLI::App* clocks = app.add_subcommand("clocks", "Find how far the clocks of hosts are apart");
  add_question_options(*clocks, &options->question,
                       "Files, then the text of a statement, and of one that comes after it on another host; then two "
                       "of the way back. Without statements they are searched for");
  clocks
      ->add_option("--key", options->keys,
                   "The argument that matches records of the two; id=order_id if its names differ, where the way back "
                   "has them in the other order")
      ->allow_extra_args(false);
  clocks->footer(
      "Examples:\n  steno clocks app.steno 'order sent {id}' 'order acked {id}' --key id\n"
      "  steno clocks a.steno b.steno sent acked acked sent --key id --since 08:00\n"
      "  steno clocks '*.steno' sent acked --key id --format json\n\n"
      "A record cannot come before the one that caused it: pairs there and back bound the shift from both sides. "
      "--shift of other commands takes what this one prints, and --shift auto what it finds by itself.");
  clocks->callback([options, code] {
    // Without --shift auto it says which clock the options that are printed take as right.
    if (options->question.filter.shifts.empty()) options->reference = std::move(options->question.filter.reference);
    run_clocks(*options, code);
  });
}

}  // namespace steno::cli
