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
#include "output/verdict.h"
#include "reader/losses.h"
#include "reader/statistics.h"

namespace steno::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> paths;
  bool content = false;
  bool json = false;
  bool per_file = false;
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
  Verdict all;
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
        put(output.buffer(), prefix + verdict_text(report, clock_uncertainty(*file)) + "\n");
      }
    }
    all.add(report, clock_uncertainty(*file));
    if (!report.complete()) raise_to(code, kExitIncomplete);
    output.tick();
  }
  if (as_one && !options.json) put(output.buffer(), all.text(logs.files()) + "\n");
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
