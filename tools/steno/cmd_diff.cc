// steno diff: what is different between two logs.
#include <unistd.h>

#include "command.h"
#include "inputs.h"
#include "option_checks.h"
#include "output.h"
#include "progress.h"
#include "query/diff.h"
#include "question.h"

namespace steno::cli {
namespace {

using query::Cell;
using query::Difference;

struct DiffCliOptions {
  QuestionOptions question;
  query::DiffOptions limits;
  std::size_t top = 50;
};

const char* name_of(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::kNew:
      return "new";
    case Difference::Kind::kGone:
      return "gone";
    case Difference::Kind::kRate:
      return "rate";
    case Difference::Kind::kArgument:
      break;
  }
  return "argument";
}

std::string sentence_of(const Difference& d) {
  const std::string rates = number_text(d.rate_before) + "/s, then " + number_text(d.rate_after) + "/s";
  switch (d.kind) {
    case Difference::Kind::kNew:
      return reader::with_commas(d.after) + " records, " + number_text(d.rate_after) + "/s";
    case Difference::Kind::kGone:
      return reader::with_commas(d.before) + " records before, " + number_text(d.rate_before) + "/s";
    case Difference::Kind::kRate:
      return rates;
    case Difference::Kind::kArgument:
      break;
  }
  return d.argument + ": " + d.from + ", then " + d.to + " (distance " + number_text(d.distance) + ")";
}

Table table_of(const query::DiffAnswer& answer, const TableStyle& style, std::size_t top) {
  Table table;
  const bool people = style.format == TableFormat::kTable;
  if (people) {
    table.columns = {"what", "score", "level", "statement", "how"};
  } else {
    table.columns = {"what",           "score",         "level",       "file",       "line",     "format", "argument",
                     "records_before", "records_after", "rate_before", "rate_after", "distance", "from",   "to"};
  }
  for (const Difference& d : answer.differences) {
    if (people && table.rows.size() == top) break;
    const wire::SiteInfo& info = d.site->info();
    if (people) {
      table.rows.push_back({Cell::of_text(name_of(d.kind)), Cell::of_real(d.score),
                            Cell::of_text(level_name(info.level)),
                            Cell::of_text(info.file + ":" + std::to_string(info.line) + "  " + info.format),
                            Cell::of_text(sentence_of(d))});
      continue;
    }
    const bool argument = d.kind == Difference::Kind::kArgument;
    table.rows.push_back({Cell::of_text(name_of(d.kind)), Cell::of_real(d.score), Cell::of_text(level_name(info.level)),
                          Cell::of_text(info.file), Cell::of(info.line), Cell::of_text(info.format),
                          argument ? Cell::of_text(d.argument) : Cell(), Cell::of(static_cast<text::Int128>(d.before)),
                          Cell::of(static_cast<text::Int128>(d.after)), Cell::of_real(d.rate_before),
                          Cell::of_real(d.rate_after), argument ? Cell::of_real(d.distance) : Cell(),
                          argument ? Cell::of_text(d.from) : Cell(), argument ? Cell::of_text(d.to) : Cell()});
  }
  return table;
}

void run_diff(const DiffCliOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  if (options.question.words.size() != 2)
    throw CLI::ValidationError("diff compares two files; a pattern in quotes stands for several on one side");
  const auto before = open_question({options.question.words[0]}, options.question, code);
  const auto after = open_question({options.question.words[1]}, options.question, code);
  if (before == nullptr || after == nullptr) return;
  query::DiffAnswer answer;
  {
    Progress progress(output.is_terminal());
    answer = query::diff_logs(before->subject(progress.meter()), after->subject(progress.meter()), options.limits);
  }
  TableStyle style;
  style.format = table_format_of(options.question.format);
  style.escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  if (style.format == TableFormat::kTable) {
    if (answer.differences.empty()) {
      put(output.buffer(), "no difference in " + std::to_string(answer.statements) + " statements\n");
    } else {
      append_table(table_of(answer, style, options.top), style, output.buffer());
    }
    if (answer.differences.size() > options.top) {
      put(output.buffer(),
          "and " + std::to_string(answer.differences.size() - options.top) + " more; --top shows them\n");
    }
  } else {
    append_table(table_of(answer, style, options.top), style, output.buffer());
  }
  finish(output, code);
  if (!output.good()) return;
  report_failures(before->logs, answer.failures, code);
  report_failures(after->logs, {}, code);
}

}  // namespace

void add_diff(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<DiffCliOptions>();
  CLI::App* diff = app.add_subcommand("diff", "Statements that are new, gone, or log at another rate or other values");
  add_question_options(*diff, &options->question, "The file before and the file after");
  diff->add_option("--least-rate", options->limits.least_rate, "Rates that changed by this factor or more (1.25)")
      ->check(real_number(1, 1e9));
  diff->add_option("--least-distance", options->limits.least_distance,
                   "Arguments whose distributions are this far apart, 0 to 1 (0.1)")
      ->check(real_number(0, 1));
  diff->add_option("--least-score", options->limits.least_score,
                   "Differences that chance makes with a probability of 10^-SCORE or less (3)")
      ->check(real_number(0));
  diff->add_option("--top", options->top, "How many to show in the table (50)")->type_name("N")->check(whole_number());
  diff->footer(
      "Example:\n  steno diff yesterday.steno today.steno --level WARN\n\n"
      "SCORE is minus the decimal logarithm of the probability that chance alone does as much.");
  diff->callback([options, code] { run_diff(*options, code); });
}

}  // namespace steno::cli
