#include "command_line.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "base/suggest.h"
#include "command.h"
#include "completion.h"
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
    {"agg", add_agg},
    {"cat", add_cat},
    {"completion", add_completion},
    {"ctl", add_ctl},
    {"diff", add_diff},
    {"help", add_help},
    {"pair", add_pair},
    {"ps", add_ps},
    {"recover", add_recover},
    {"scribe", add_scribe},
    {"check-ring", add_check_ring},
    {"sites", add_sites},
    {"stat", add_stat},
    {"tail", add_tail},
    {"top", add_top},
    {"verify", add_verify},
};

// Adds only the command that the first word names, if it names one: making the options of all commands takes longer
// than most commands run.
void add_commands(CLI::App& app, std::string_view first, ExitCode* code) {
  const auto* named = std::find_if(std::begin(kCommands), std::end(kCommands),
                                   [first](const Command& command) { return command.name == first; });
  if (named != std::end(kCommands)) return named->add(app, code);
  for (const Command& command : kCommands) command.add(app, code);
}

// `steno help NAME` as what it stands for: the help of a command. True: it was about something else, and is done.
bool help_with(std::vector<std::string>* words, ExitCode* code) {
  if (words->size() > 2 && (*words)[2].starts_with('-')) return false;
  if (words->size() == 2) {
    *words = {(*words)[0], "--help"};
    return false;
  }
  const std::string& name = (*words)[2];
  std::string text;
  std::vector<std::string> names = topic_names();
  for (const Command& command : kCommands) names.emplace_back(command.name);
  if (append_topic(name, &text)) {
    Output output(STDOUT_FILENO);
    put(output.buffer(), text);
    finish(output, code);
    return true;
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    complain("there is no command or topic '" + name + "'" + did_you_mean(name, names));
    raise_to(code, kExitUsage);
    return true;
  }
  *words = {(*words)[0], name, "--help"};
  return false;
}

// What the script of `steno completion` asks: what the last word may become, a line each.
void complete(const std::vector<std::string>& words, ExitCode* code) {
  CLI::App app("", "steno");
  for (const Command& command : kCommands) command.add(app, code);
  Output output(STDOUT_FILENO);
  for (const std::string& one : completions_of({words.begin() + 2, words.end()}, app)) put(output.buffer(), one + "\n");
  finish(output, code);
}

int run(int argc, char** given) {
  std::vector<std::string> words(given, given + argc);
  ExitCode code = kExitOk;
  if (argc > 1 && words[1] == "complete") {
    complete(words, &code);
    return code;
  }
  if (argc > 1 && words[1] == "help" && help_with(&words, &code)) return code;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  char** argv = pointers.data();
  argc = static_cast<int>(words.size());
  CLI::App app("Reads the logs of programs that use steno.", "steno");
  app.formatter(std::make_shared<HelpFormatter>());  // its subcommands' too
  app.set_version_flag("--version", std::string("steno ") + kVersion);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  steno cat app.steno | less\n\n"
      "Exit status: 0 success, 1 something is missing or damaged, 2 wrong usage, 3 a file cannot be read.\n"
      "'steno help COMMAND' explains a command, 'steno help where' how to write conditions.");
  set_default_threads(0);  // undoes --jobs of an earlier call
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

void run_other_program(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  const bool is_command = std::any_of(std::begin(kCommands), std::end(kCommands),
                                      [word](const Command& command) { return command.name == word; });
  const bool is_name =
      !word.empty() && word[0] != '-' && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == word.npos;
  if (is_command || !is_name) return;
  std::string program = "steno-" + std::string(word);
  std::vector<char*> arguments = {program.data()};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  ::execvp(program.c_str(), arguments.data());
  // Without such a program: its word is a mistake, as any other.
}

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
