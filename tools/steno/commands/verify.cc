// steno verify: checks that nothing is missing.
#include <unistd.h>

#include <algorithm>

#include "command.h"
#include "input/inputs.h"
#include "input/session_text.h"
#include "lines/escape.h"
#include "options/jobs_option.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/table.h"
#include "reader/losses.h"
#include "reader/statistics.h"

namespace steno::cli {
namespace {

constexpr std::uint32_t kReportedClockError = 1000;  // ns

struct VerifyOptions {
  std::vector<std::string> paths;
  bool content = false;
  bool json = false;
  bool per_file = false;
};

std::string count(std::uint64_t n, const char* one, const char* many) {
  return reader::with_commas(n) + " " + (n == 1 ? one : many);
}

// A number is exact, or marked as a bound.
std::string lost_text(const reader::LossReport& report) {
  if (report.exact) return reader::with_commas(report.lost) + " lost";
  return report.lost == 0 ? "loss unknown" : "at least " + reader::with_commas(report.lost) + " lost";
}

std::string summary(const reader::LossReport& report, std::uint32_t clock) {
  std::string text = report.complete() ? "complete" : "incomplete";
  text += report.complete() && report.in_other_file != 0 ? " as far as this file goes: " : ": ";
  text += count(report.records, "record", "records") + ", " + count(report.threads, "thread", "threads") + ", " +
          count(report.sessions, "session", "sessions") + ", ";
  text += lost_text(report);
  if (report.unprintable != 0) text += " (" + reader::with_commas(report.unprintable) + " without their text)";
  if (report.overwritten != 0)
    text += " (" + reader::with_commas(report.overwritten) + " left out by flight recorders)";
  if (report.repeated != 0) text += " (" + count(report.repeated, "copy", "copies") + " skipped)";
  if (report.cut_short != 0) text += " (" + count(report.cut_short, "write", "writes") + " interrupted and repeated)";
  if (report.running != 0) text += " so far; " + count(report.running, "session goes", "sessions go") + " on";
  if (report.died != 0) text += "; " + count(report.died, "process died", "processes died");
  if (report.in_other_file != 0)
    text += "; " + count(report.in_other_file, "record before these was", "records before these were") +
            " written to another file (removed, moved, or not given)";
  if (is_more_than_stated(clock)) {
    text += std::string("; times may be off by more than ") + kMostStated + ": the clock was set";
  } else if (clock > kReportedClockError) {
    text += "; times are within " + duration_text(clock) + " of the clock";
  }
  return text;
}

// The reports of the files of a set, as one.
class Totals {
 public:
  void add(const reader::LossReport& report, std::uint32_t clock) {
    sum_.records += report.records;
    sum_.lost += report.lost;
    sum_.exact = sum_.exact && report.exact;
    sum_.unprintable += report.unprintable;
    sum_.overwritten += report.overwritten;
    sum_.repeated += report.repeated;
    sum_.cut_short += report.cut_short;
    sum_.running += report.running;
    sum_.died += report.died;
    sum_.in_other_file += report.in_other_file;
    if (!report.complete()) sum_.losses.emplace_back();
    clock_ = std::max(clock_, clock);
  }
  // Requires two files or more.
  std::string text(reader::Files files) {
    const reader::Writers writers = reader::count_writers(files);
    sum_.sessions = writers.sessions;
    sum_.threads = writers.threads;
    std::string text = summary(sum_, clock_);
    text.insert(text.find(": ") + 2, reader::with_commas(files.size()) + " files, ");
    return text;
  }

 private:
  reader::LossReport sum_;
  std::uint32_t clock_ = 0;
};

const char* name_of(reader::LossCause cause) {
  switch (cause) {
    case reader::LossCause::kDamage:
      return "damage";
    case reader::LossCause::kMissing:
      return "missing";
    case reader::LossCause::kDropped:
      return "dropped";
    case reader::LossCause::kDiscarded:
      return "discarded";
    case reader::LossCause::kNoEnd:
      return "no_end";
    case reader::LossCause::kUnprintable:
      return "unprintable";
    case reader::LossCause::kStrings:
      return "strings";
    case reader::LossCause::kTotals:
      break;
  }
  return "totals";
}

std::string quoted(const std::string& text) {
  return "\"" + json_escaped(text) + "\"";
}

std::string gap_json(const reader::LogFile& file, const reader::Loss& loss) {
  const auto number = [](std::uint64_t n, bool known) { return known ? std::to_string(n) : "null"; };
  const auto time = [](std::int64_t wall, bool known) { return known ? quoted(reader::iso_time(wall)) : "null"; };
  const bool damage = loss.cause == reader::LossCause::kDamage;
  return "{\"cause\":" + quoted(name_of(loss.cause)) +
         ",\"session\":" + number(loss.session + 1, loss.session < file.sessions().size()) +
         ",\"thread\":" + (loss.thread.empty() ? "null" : quoted(loss.thread)) +
         ",\"records\":" + number(loss.records, loss.records != 0) +
         ",\"from\":" + time(loss.from_wall, loss.from_wall != INT64_MIN) +
         ",\"to\":" + time(loss.to_wall, loss.to_wall != INT64_MAX) + ",\"offset\":" + number(loss.offset, damage) +
         ",\"size\":" + number(loss.size, damage) + ",\"text\":" + quoted(describe(file, loss)) + "}";
}

std::string report_json(const reader::LogFile& file, const reader::LossReport& report) {
  const auto number = [](const char* key, std::uint64_t n) {
    return std::string(",\"") + key + "\":" + std::to_string(n);
  };
  std::string gaps;
  for (const reader::Loss& loss : report.losses) gaps += (gaps.empty() ? "" : ",") + gap_json(file, loss);
  const bool loss_unknown = report.lost == 0 && !report.exact;
  return "{\"path\":" + quoted(file.path()) + ",\"complete\":" + (report.complete() ? "true" : "false") +
         number("records", report.records) + number("threads", report.threads) + number("sessions", report.sessions) +
         ",\"lost\":" + (loss_unknown ? "null" : std::to_string(report.lost)) +
         ",\"exact\":" + (report.exact ? "true" : "false") + number("unprintable", report.unprintable) +
         number("overwritten", report.overwritten) + number("copies", report.repeated) +
         number("in_other_file", report.in_other_file) + number("cut_short", report.cut_short) +
         number("running", report.running) + number("died", report.died) +
         number("clock_uncertainty_ns", clock_uncertainty(file)) + ",\"gaps\":[" + gaps + "]}\n";
}

void run_verify(const VerifyOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  reader::LogSet logs(reader::Secrets::kShown, reader::kCheckAll);  // prints none, and checks all
  open_inputs(options.paths, &logs, code);
  reader::LossOptions what;
  what.content = options.content;
  Totals totals;
  const bool as_one = logs.files().size() > 1 && !options.per_file;
  for (const auto& file : logs.files()) {
    const bool several = options.paths.size() > 1 || logs.files().size() > 1;
    const std::string prefix = several ? escaped(file->path(), Escape::kTerminal) + ": " : "";
    std::optional<Progress> progress(std::in_place, output.is_terminal());
    what.meter = progress->meter();
    const reader::LossReport report = reader::find_losses(*file, what);
    progress.reset();
    if (options.json) {
      put(output.buffer(), report_json(*file, report));
    } else {
      for (const reader::Loss& loss : report.losses) {
        put(output.buffer(), prefix + escaped(describe(*file, loss), Escape::kTerminal) + "\n");
      }
      if (!as_one || !report.complete()) {
        put(output.buffer(), prefix + summary(report, clock_uncertainty(*file)) + "\n");
      }
    }
    totals.add(report, clock_uncertainty(*file));
    if (!report.complete()) raise_to(code, kExitIncomplete);
    output.tick();
  }
  if (as_one && !options.json) put(output.buffer(), totals.text(logs.files()) + "\n");
  finish(output, code);
}

}  // namespace

void add_verify(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* verify = app.add_subcommand("verify", "Prove that nothing is missing, or report every gap");
  verify->add_option("FILE", options->paths, "Files; '-' is standard input")->required();
  verify->add_flag("--content", options->content, "Also decode every column; slower");
  verify->add_flag("--per-file", options->per_file, "Of several files: a verdict on each, in place of one on all");
  verify->add_flag("--json", options->json, "Print one JSON object per file, with every gap");
  add_jobs_option(*verify);
  verify->footer(
      "Examples:\n  steno verify app.steno && echo complete\n  steno verify --content app.steno\n  steno verify --json "
      "app.steno today.steno\n  steno verify 'app*.steno' --per-file\n\n"
      "Records that live or dead processes have not written yet are not missing: they are read from staging.\n"
      "Exit status 1: something is missing, or a session has no end and its staging is gone.");
  verify->callback([options, code] { run_verify(*options, code); });
}

}  // namespace steno::cli
