// steno recover: writes what dead processes left in shared memory to their files.
#include <unistd.h>

#include "command.h"
#include "follow/open_log.h"
#include "input/inputs.h"
#include "lines/escape.h"
#include "live/recover.h"
#include "output/output.h"
#include "reader/loss_text.h"
#include "staging/find_staging.h"

namespace steno::cli {
namespace {

struct RecoverOptions {
  std::vector<std::string> paths;
  std::vector<std::string> roots;
  std::string staging;
  std::string output;
  bool all = false;
};

void report(const live::Recovered& done, Output& output) {
  const std::string into = done.path.empty() ? "" : " into " + done.path;
  put(output.buffer(), escaped("recovered " + reader::with_commas(done.records) +
                                   (done.records == 1 ? " record" : " records") + into + ", removed " + done.directory,
                               Escape::kTerminal) +
                           "\n");
}

void report(const Result<live::Recovered>& result, Output& output, ExitCode* code) {
  if (result.ok()) {
    report(*result, output);
    return;
  }
  complain(result.status().message());
  raise_to(code, kExitUnreadable);
}

void recover_all(const RecoverOptions& options, Output& output, ExitCode* code) {
  for (const std::string& directory : staging::find_staging(staging::Whose::kOwn, options.roots)) {
    auto result = live::recover(directory);
    const StatusCode why = result.ok() ? StatusCode::kOk : result.status().code();
    if (why == StatusCode::kFailedPrecondition || why == StatusCode::kNotFound) continue;  // alive, or gone
    report(result, output, code);
  }
}

void recover_file(const std::string& path, const RecoverOptions& options, Output& output, ExitCode* code) {
  std::vector<staging::Hint> hints;
  Status readable;
  if (path == "-") throw CLI::ValidationError("recover needs a log file; it cannot write to standard input");
  {
    reader::Ordinals ordinals;
    auto file = reader::LogFile::open(path, &ordinals);
    if (file.ok()) hints = follow::staging_of(**file);
    readable = file.status();
  }
  std::vector<std::string> problems;
  const auto done = live::recover_for(path, live::Search::kAll, options.roots, hints, &problems);
  for (const live::Recovered& one : done) report(one, output);
  for (const std::string& problem : problems) {
    complain(problem);
    raise_to(code, kExitUnreadable);
  }
  if (!done.empty() || !problems.empty()) return;
  // A log that does not exist (yet) or is empty lacks nothing: its process died at once, or is being recovered now.
  if (!readable.ok() && readable.code() != StatusCode::kNotFound) {
    complain(readable.message() + "; and there is nothing in shared memory to write to it");
    raise_to(code, kExitUnreadable);
  } else {
    put(output.buffer(), escaped(path + ": nothing to recover", Escape::kTerminal) + "\n");
  }
}

void run_recover(const RecoverOptions& options, ExitCode* code) {
  Output output(STDOUT_FILENO);
  if (options.all) recover_all(options, output, code);
  if (!options.staging.empty()) report(live::recover(options.staging, options.output), output, code);
  for (const std::string& path : expand_patterns(options.paths, code)) recover_file(path, options, output, code);
  finish(output, code);
}

}  // namespace

void add_recover(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<RecoverOptions>();
  CLI::App* recover =
      app.add_subcommand("recover", "Write what dead processes left in shared memory to their log files");
  auto* files = recover->add_option("FILE", options->paths, "Log files of processes that died");
  auto* staging =
      recover->add_option("--staging", options->staging, "A staging directory, as listed by 'steno ps --json'");
  recover->add_option("--output", options->output, "With --staging: the file to write to")->needs(staging);
  auto* all = recover->add_flag("--all", options->all, "Recover everything that dead processes of this user left")
                  ->excludes(files)
                  ->excludes(staging);
  recover->add_option("--root", options->roots,
                      "Another directory to search for staging, besides /dev/shm, $TMPDIR, /tmp and $STENO_STAGING");
  files->excludes(staging)->excludes(all);
  recover->footer(
      "Rarely needed: readers find what is in shared memory, and the next start of the program writes it. Use it for "
      "programs that will not be started again. Live processes are not touched. It can be interrupted and repeated "
      "safely.\n\n"
      "Examples:\n  steno recover app.steno\n  steno recover app.steno today.steno\n  steno recover --all");
  recover->callback([options, code] {
    if (options->paths.empty() && options->staging.empty() && !options->all) {
      throw CLI::RequiredError("FILE, --staging or --all");
    }
    run_recover(*options, code);
  });
}

}  // namespace steno::cli
