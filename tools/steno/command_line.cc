#include "command_line.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <sstream>
#include <string_view>

#include "base/parallel.h"
#include "command.h"
#include "help.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "mistakes.h"
#include "output/output.h"
#include "version.h"

namespace steno::cli {
namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, ExitCode* code);
};
constexpr Command kCommands[] = {
    {"agg", add_agg},         {"cat", add_cat},       {"ctl", add_ctl},
    {"diff", add_diff},       {"pair", add_pair},     {"ps", add_ps},
    {"recover", add_recover}, {"scribe", add_scribe}, {"check-ring", add_check_ring},
    {"sites", add_sites},     {"stat", add_stat},     {"tail", add_tail},
    {"top", add_top},         {"verify", add_verify},
};

// Adds only the command that the first word names, if it names one: making the options of all commands takes longer
// than most commands run.
void add_commands(CLI::App& app, std::string_view first, ExitCode* code) {
  const auto* named = std::find_if(std::begin(kCommands), std::end(kCommands),
                                   [first](const Command& command) { return command.name == first; });
  if (named != std::end(kCommands)) return named->add(app, code);
  for (const Command& command : kCommands) command.add(app, code);
}

int run(int argc, char** argv) {
  CLI::App app("Reads the logs of programs that use steno.", "steno");
  app.formatter(std::make_shared<HelpFormatter>());  // its subcommands' too
  app.set_version_flag("--version", std::string("steno ") + kVersion);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  steno cat app.steno | less\n\n"
      "Exit status: 0 success, 1 something is missing or damaged, 2 wrong usage, 3 a file cannot be read.\n"
      "'steno COMMAND --help' explains a command.");
  set_default_threads(0);  // undoes --jobs of an earlier call
  ExitCode code = kExitOk;
  add_commands(app, argc > 1 ? argv[1] : "", &code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // help, version
      std::ostringstream text;
      app.exit(error, text, text);
      Output output(STDOUT_FILENO);
      put(output.buffer(), text.str());
      finish(output, &code);
      return code;
    }
    complain(sentence_of(error, app));
    raise_to(&code, kExitUsage);
  }
  return code;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain(out_of_memory_text());
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kExitUnreadable;
}

}  // namespace steno::cli
