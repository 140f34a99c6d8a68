// steno verify: is everything there?
#include <unistd.h>

#include "command.h"
#include "escape.h"
#include "inputs.h"
#include "output.h"
#include "progress.h"
#include "reader/losses.h"

namespace steno::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> paths;
  bool content = false;
};

std::string count(std::uint64_t n, const char* one, const char* many) {
  return reader::with_commas(n) + " " + (n == 1 ? one : many);
}

std::string summary(const reader::LossReport& report) {
  std::string text = report.complete() ? "complete: " : "incomplete: ";
  text += count(report.records, "record", "records") + ", " + count(report.threads, "thread", "threads") + ", " +
          count(report.sessions, "session", "sessions") + ", ";
  text += report.lost == 0 && !report.complete() ? "loss unknown" : reader::with_commas(report.lost) + " lost";
  if (report.repeated != 0) text += " (" + count(report.repeated, "copy", "copies") + " skipped)";
  if (report.cut_short != 0) text += " (" + count(report.cut_short, "write", "writes") + " cut short and made again)";
  if (report.running != 0) text += " so far; " + count(report.running, "session goes", "sessions go") + " on";
  return text;
}

void run_verify(const VerifyOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  reader::LogSet logs(reader::kCheckAll);
  open_inputs(options.paths, &logs, code);
  reader::LossOptions what;
  what.content = options.content;
  for (const auto& file : logs.files()) {
    const bool several = options.paths.size() > 1 || logs.files().size() > 1;
    const std::string prefix = several ? escaped(file->path(), Escape::kTerminal) + ": " : "";
    std::optional<Progress> progress(std::in_place, output.is_terminal());
    what.meter = progress->meter();
    const reader::LossReport report = reader::find_losses(*file, what);
    progress.reset();
    for (const reader::Loss& loss : report.losses) {
      put(output.buffer(), prefix + escaped(describe(*file, loss), Escape::kTerminal) + "\n");
    }
    put(output.buffer(), prefix + summary(report) + "\n");
    if (!report.complete()) raise_to(code, kExitIncomplete);
    output.tick();
  }
  finish(output, code);
}

}  // namespace

void add_verify(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* verify = app.add_subcommand("verify", "Prove that nothing is missing, or name every gap");
  verify->add_option("FILE", options->paths, "Files; '-' is standard input")->required();
  verify->add_flag("--content", options->content, "Decode every column too; slower");
  verify->footer(
      "Example:\n  steno verify app.steno && echo all there\n\n"
      "What live and dead processes have not written yet counts as there: it is read from their staging.\n"
      "Exit status 1 where anything is missing, or a session has no end and its staging is gone.");
  verify->callback([options, code] { run_verify(*options, code); });
}

}  // namespace steno::cli
