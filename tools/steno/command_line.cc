#include "command_line.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>
#include <string_view>

#include "base/parallel.h"
#include "command.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "mistakes.h"
#include "output/output.h"
#include "output/table.h"
#include "version.h"

namespace steno::cli {
namespace {

// Wraps help to 80 columns. The description of an option continues below its own beginning; examples stay as they are.
std::string wrapped_help(const std::string& text) {
  constexpr std::size_t kColumns = 80;
  constexpr std::size_t kMeaning = 30;  // column in which CLI11 begins a description
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
    const bool is_example = line.compare(margin, 6, "steno ") == 0;
    const bool is_option = margin == 2 && line.size() > kMeaning && line[kMeaning - 1] == ' ';
    out += (is_example ? line : wrapped(line, kColumns, is_option ? kMeaning : margin)) + "\n";
  }
  return out;
}

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
      put(output.buffer(), wrapped_help(text.str()));
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
