// steno diff: compares two logs.
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "command.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "options/filter_options.h"
#include "options/option_checks.h"
#include "options/question.h"
#include "output/output.h"
#include "output/plot.h"
#include "output/progress.h"
#include "query/statistics/diff.h"

namespace steno::cli {
namespace {

using query::Cell;
using query::Difference;

struct DiffCliOptions {
  QuestionOptions question;
  query::DiffOptions limits;
  std::string before;  // times of either side
  std::string after;
  std::size_t top = 50;
};

const char* name_of(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::kAll:
      return "all";
    case Difference::Kind::kNew:
      return "new";
    case Difference::Kind::kGone:
      return "gone";
    case Difference::Kind::kRate:
      return "rate";
    case Difference::Kind::kArgument:
      return "argument";
    case Difference::Kind::kValue:
      break;
  }
  return "value";
}

std::string percent(double share) {
  return number_text(std::round(share * 1e4) / 1e2) + " %";
}

// Beyond this a probability means no more than "certain".
std::string chance_of(double score) {
  constexpr double kCertain = 15;
  char text[32];
  std::snprintf(text, sizeof text, score > kCertain ? "p < 1e-15" : "p = %.1g", std::pow(10, -score));
  return text;
}

std::string sentence_on(const Difference& d) {
  const std::string before = number_text(d.rate_before) + "/s";
  const std::string after = number_text(d.rate_after) + "/s";
  const std::string chance = "; " + chance_of(d.score);
  switch (d.kind) {
    case Difference::Kind::kNew:
      return reader::with_commas(d.after) + " records, " + after;
    case Difference::Kind::kGone:
      return reader::with_commas(d.before) + " records before, " + before;
    case Difference::Kind::kAll:
    case Difference::Kind::kRate:
      return before + ", then " + after + "; " + percent(d.share_before) + ", then " + percent(d.share_after) +
             " of the records" + chance;
    case Difference::Kind::kArgument:
    case Difference::Kind::kValue:
      break;
  }
  const std::string distance =
      d.kind == Difference::Kind::kArgument ? " (distance " + number_text(d.distance) + ")" : "";
  return d.argument + ": " + d.value + " " + d.from + ", then " + d.to + distance + "; of " +
         reader::with_commas(d.values_before) + " and " + reader::with_commas(d.values_after) + " values" + chance;
}

std::string side_text(const char* name, std::uint64_t records, double seconds) {
  return std::string(name) + reader::with_commas(records) + " records in " + duration_text(seconds * 1e9) + ", " +
         number_text(static_cast<double>(records) / seconds) + "/s\n";
}

// Two lines per difference: the statement, and the change.
void append_for_people(const query::DiffAnswer& answer, std::size_t top, std::size_t width, Escape escape,
                       ByteBuffer& out) {
  constexpr std::size_t kIndent = 10;
  put(out, side_text("before  ", answer.records_before, answer.seconds_before));
  put(out, side_text("after   ", answer.records_after, answer.seconds_after));
  std::size_t shown = 0;
  for (const Difference& d : answer.differences) {
    if (d.kind == Difference::Kind::kAll) {
      const std::string load =
          "load    most statements log " + number_text(d.factor) + " times as often; rates are relative to that";
      put(out, wrapped(load, width, 8) + "\n");
      continue;
    }
    if (shown++ == top) break;
    const wire::SiteInfo& info = d.site->info();
    const std::string head = padded(name_of(d.kind), kIndent, false) + padded(level_name(info.level), 8, false) + " " +
                             info.file + ":" + std::to_string(info.line) + "  " + info.format;
    put(out, "\n" + cut_to(escaped(head, escape), width) + "\n");
    put(out, wrapped(std::string(kIndent, ' ') + escaped(sentence_on(d), escape), width, kIndent) + "\n");
  }
  const std::size_t all =
      answer.differences.size() - (answer.differences.empty() || answer.differences[0].site != nullptr ? 0 : 1);
  if (all == 0) put(out, "\nno difference in " + std::to_string(answer.statements) + " statements\n");
  if (all > top) put(out, "\nand " + std::to_string(all - top) + " more; --top shows them\n");
  if (answer.counters.empty()) return;
  std::string counters = "\nnot compared, because they count up or all values are new: ";
  for (const std::string& one : answer.counters) counters += (&one == answer.counters.data() ? "" : ", ") + one;
  put(out, wrapped(escaped(counters.substr(1), escape), width, 2).insert(0, "\n") + "\n");
}

Table table_of(const query::DiffAnswer& answer) {
  Table table;
  table.columns = {"what",       "score",        "effect",        "level",          "file",
                   "line",       "format",       "argument",      "value",          "from",
                   "to",         "distance",     "values_before", "values_after",   "rate_before",
                   "rate_after", "share_before", "share_after",   "records_before", "records_after"};
  const auto whole = [](std::uint64_t n) { return Cell::of(static_cast<text::Int128>(n)); };
  for (const Difference& d : answer.differences) {
    auto& row = table.rows.emplace_back();
    row = {Cell::of_text(name_of(d.kind)), Cell::of_real(d.score), Cell::of_real(d.effect)};
    if (d.site == nullptr) {
      row.resize(row.size() + 4);
    } else {
      const wire::SiteInfo& info = d.site->info();
      row.insert(row.end(), {Cell::of_text(level_name(info.level)), Cell::of_text(info.file), Cell::of(info.line),
                             Cell::of_text(info.format)});
    }
    if (d.kind == Difference::Kind::kArgument || d.kind == Difference::Kind::kValue) {
      row.insert(row.end(),
                 {Cell::of_text(d.argument), Cell::of_text(d.value), Cell::of_text(d.from), Cell::of_text(d.to),
                  Cell::of_real(d.distance), whole(d.values_before), whole(d.values_after)});
    } else {
      row.resize(row.size() + 7);
    }
    row.insert(row.end(), {Cell::of_real(d.rate_before), Cell::of_real(d.rate_after), Cell::of_real(d.share_before),
                           Cell::of_real(d.share_after), whole(d.before), whole(d.after)});
  }
  return table;
}

// The question of one side: between its times, where there are such. A single time is where one side ends and the other
// begins.
QuestionOptions side_of(const DiffCliOptions& options, bool before) {
  QuestionOptions side = options.question;
  const std::string& own = before ? options.before : options.after;
  const std::string& other = before ? options.after : options.before;
  if (query::is_range(own)) {
    side.filter.range = own;
  } else if (!own.empty()) {
    (before ? side.filter.until : side.filter.since) = own;
  } else if (!other.empty() && !query::is_range(other)) {
    (before ? side.filter.until : side.filter.since) = other;
  }
  return side;
}

bool has_times(const DiffCliOptions& options) {
  return !options.before.empty() || !options.after.empty();
}

// Whether all files are one log, and the sides are times of it: one file, or those that a shell made of a pattern.
bool is_one_log(const DiffCliOptions& options) {
  return has_times(options) && options.question.words.size() != 2;
}

void check_sides(const DiffCliOptions& options) {
  const query::FilterOptions& filter = options.question.filter;
  if (has_times(options) && (!filter.since.empty() || !filter.until.empty() || !filter.range.empty())) {
    throw CLI::ValidationError(
        "--before and --after are the times of the two sides; leave out --since, --until and --time");
  }
  if (options.question.words.size() == 2 || is_one_log(options)) return;
  throw CLI::ValidationError(
      "diff compares two files, or two times of one with --before and --after; to compare several files on a side, "
      "write a pattern in quotes");
}

void run_diff(const DiffCliOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  check_sides(options);
  const std::vector<std::string>& words = options.question.words;
  const bool one_log = is_one_log(options);
  const auto before = open_question(one_log ? words : std::vector{words.front()}, side_of(options, true), code);
  const auto after = open_question(one_log ? words : std::vector{words.back()}, side_of(options, false), code);
  if (before == nullptr || after == nullptr) return;
  bound_memory(size_of(before->logs) + size_of(after->logs));
  query::DiffAnswer answer;
  {
    Progress progress(output.is_terminal());
    answer = query::diff_logs(before->subject(progress.meter()), after->subject(progress.meter()), options.limits);
  }
  TableStyle style;
  style.format = table_format_of(options.question.format);
  style.escape = output.is_terminal() ? Escape::kTerminal : Escape::kControls;
  if (style.format == TableFormat::kTable) {
    append_for_people(answer, options.top, output.is_terminal() ? terminal_width(STDOUT_FILENO) : 0, style.escape,
                      output.buffer());
  } else {
    append_table(table_of(answer), style, output.buffer());
  }
  finish(output, code);
  if (!output.good()) return;
  AskedTimes asked = asked_times(side_of(options, true).filter, before->logs);
  AskedTimes asked_after = asked_times(side_of(options, false).filter, after->logs);
  if (!one_log) {
    report_failures(before->logs, answer.failures, asked, code);
    return report_failures(after->logs, {}, asked_after, code);
  }
  asked.insert(asked.end(), asked_after.begin(), asked_after.end());
  report_failures(before->logs, answer.failures, asked, code);
}

}  // namespace

void add_diff(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<DiffCliOptions>();
  CLI::App* diff =
      app.add_subcommand("diff", "Compare two logs: statements that are new, gone, or changed in rate or values");
  add_question_options(*diff, &options->question,
                       "The file before and the file after; or one log, with --before or --after");
  diff->add_option("--before", options->before,
                   "Times of the first side: 14:03..14:10, or 14:03, until when. One file is enough then")
      ->check(some_text("write a time, like 14:03"));
  diff->add_option("--after", options->after, "Times of the second side: 14:10..14:20, or 14:10, from when on")
      ->check(some_text("write a time, like 14:10"));
  diff->add_option(
          "--least-rate", options->limits.least_rate,
          "Report rates that changed by at least this factor, relative to most other statements (default 1.25)")
      ->check(real_number(1, 1e9));
  diff->add_option("--least-distance", options->limits.least_distance,
                   "Report arguments whose distributions differ by at least this distance, 0 to 1 (default 0.1)")
      ->check(real_number(0, 1));
  diff->add_option("--least-rise", options->limits.least_rise,
                   "Report values whose share changed by at least this factor (default 3)")
      ->check(real_number(1, 1e9));
  diff->add_option("--least-score", options->limits.least_score,
                   "Report differences that arise by chance with a probability of at most 10^-SCORE (default 3)")
      ->check(real_number(0));
  diff->add_option("--top", options->top, "Number of differences in the table (default 50)")
      ->type_name("N")
      ->transform(whole_number());
  diff->footer(
      "Examples:\n  steno diff yesterday.steno today.steno --level WARN\n"
      "  steno diff app.steno --before 08:00:00.003 --least-rate 2\n"
      "  steno diff app.steno --before ..08:00:00.002 --after 08:00:00.004..\n\n"
      "'p' is the probability that a difference of this size arises by chance anywhere in the logs.");
  diff->callback([options, code] { run_diff(*options, code); });
}

}  // namespace steno::cli
