// steno check-ring: checks staging against the specification, for tests of programs that write it.
#include <unistd.h>

#include "command.h"
#include "input/inputs.h"
#include "input/staging_check.h"
#include "lines/escape.h"
#include "output/output.h"
#include "reader/loss_text.h"

namespace steno::cli {
namespace {

using reader::with_commas;

void run_check(const std::vector<std::string>& directories, ExitCode* code) {
  Output output(STDOUT_FILENO);
  for (const std::string& directory : directories) {
    const auto checked = check_staging(directory);
    if (!checked.ok()) {
      complain(checked.status().message());
      raise_to(code, kExitUnreadable);
      continue;
    }
    const StagingCheck& found = *checked;
    const auto say = [&](const std::string& line) { put(output.buffer(), escaped(line, Escape::kTerminal) + "\n"); };
    for (const std::string& problem : found.problems) say(directory + "/" + problem);
    if (found.problems.empty()) {
      std::string text = directory + ": sound: " + with_commas(found.rings) +
                         (found.rings == 1 ? " ring, " : " rings, ") + with_commas(found.statements) + " statements, " +
                         with_commas(found.records) + " records wait";
      if (found.unknown != 0) text += "; " + with_commas(found.unknown) + " of kinds unknown to this version";
      say(text);
    } else {
      raise_to(code, kExitIncomplete);
    }
  }
  finish(output, code);
}

}  // namespace

void add_check_ring(CLI::App& app, ExitCode* code) {
  auto directories = std::make_shared<std::vector<std::string>>();
  CLI::App* check = app.add_subcommand("check-ring", "Check staging directories against the specification");
  check->add_option("DIR", *directories, "Staging directories, as listed by 'steno ps --json'")->required();
  check->footer(
      "For tests of programs that write rings in other languages: reports what is wrong, with position and byte. The "
      "process must not log meanwhile; it may be dead. Exit status 1: something is wrong; 3: the directory cannot be "
      "read.\n\n"
      "Examples:\n  steno check-ring /dev/shm/steno-0/4711-799f6dc4f546d175");
  check->callback([directories, code] { run_check(*directories, code); });
}

}  // namespace steno::cli
