#include "rewrite/new_log.h"

#include <unistd.h>

#include "command.h"
#include "input/inputs.h"
#include "options/option_checks.h"
#include "output/output.h"
#include "output/progress.h"
#include "reader/loss_text.h"
#include "rewrite/new_file.h"
#include "rewrite/old_parts.h"

namespace steno::cli {
namespace {

void report_copied(const reader::LogSet& logs, const Copied& copied, const AskedTimes& asked, ExitCode* code) {
  if (copied.undeclared != 0) {
    complain(reader::counted(copied.undeclared, "record is", "records are") +
             " left out, because the file does not say what they are");
    raise_to(code, kExitIncomplete);
  }
  if (copied.missing_strings != 0) {
    complain(reader::counted(copied.missing_strings, "string is", "strings are") +
             " missing, and '{!missing string}' now");
    raise_to(code, kExitIncomplete);
  }
  report_failures(logs, copied.failures, asked, code);
}

// The new file, closed and not named yet if there are no records. An error was reported.
std::optional<Copied> write_part(const reader::LogSet& logs, const NewLogOptions& options, const CopyRules& rules,
                                 ProveFile prove, std::uint64_t* bytes) {
  const auto failed = [](const Status& status) {
    complain(status.message());
    return std::nullopt;
  };
  std::vector<std::string> keep = input_paths(options);
  NewFile file;
  if (Status status = NewFile::make(options.out, keep, options.force, &file); !status.ok()) return failed(status);
  keep.push_back(file.part());
  for (const std::string& said : remove_old_parts(options.out, keep)) complain(said);
  auto copied = copy_logs(logs, rules, &file.file());
  if (!copied.ok()) return failed(copied.status());
  if (copied->records == 0) return std::move(copied).value();
  if (prove != nullptr) {
    if (Status status = prove(logs, file.part()); !status.ok()) return failed(status);
  }
  *bytes = file.file().bytes_written();
  if (Status status = file.publish(); !status.ok()) return failed(status);
  return std::move(copied).value();
}

}  // namespace

std::vector<std::string> input_paths(const NewLogOptions& options) {
  std::vector<std::string> paths;
  for (const std::string& name : options.paths) {
    const std::vector<std::string> found = is_pattern(name) ? matches_of(name) : std::vector<std::string>{name};
    paths.insert(paths.end(), found.begin(), found.end());
  }
  return paths;
}

void add_new_log_options(CLI::App& app, NewLogOptions* options) {
  app.add_option("FILE", options->paths, "Files; '-' is standard input")->required();
  app.add_option("-o,--output", options->out, "The file to write; none of those that are read")
      ->type_name("FILE")
      ->required()
      ->check(some_text("name a file"));
  app.add_flag("--force", options->force, "Replace the output if it exists");
}

std::optional<Copied> write_new_log(const reader::LogSet& logs, const NewLogOptions& options, CopyRules rules,
                                    ProveFile prove, ExitCode* code) {
  Output output(STDOUT_FILENO);
  std::optional<Progress> progress(std::in_place, output.is_terminal());
  rules.meter = progress->meter();
  std::uint64_t bytes = 0;
  std::optional<Copied> copied = write_part(logs, options, rules, prove, &bytes);
  progress.reset();
  if (!copied) {
    raise_to(code, kExitUnreadable);
    return copied;
  }
  if (copied->records == 0) {
    complain("no record was chosen, so " + options.out + " is not written");
    raise_to(code, kExitIncomplete);
  } else {
    std::string text = options.out + ": " + reader::counted(copied->records, "record", "records") + " in " +
                       reader::counted(copied->sessions, "session", "sessions") + ", " +
                       reader::counted(bytes, "byte", "bytes");
    if (copied->left_out != 0) text += "; " + reader::counted(copied->left_out, "record", "records") + " left out";
    put(output.buffer(), text + "\n");
    finish(output, code);
  }
  report_copied(logs, *copied, options.asked, code);
  return copied;
}

}  // namespace steno::cli
