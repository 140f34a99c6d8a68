#include "command_line.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/parallel.h"
#include "base/suggest.h"
#include "command.h"
#include "completion.h"
#include "help.h"
#include "input/inputs.h"
#include "memory_limit.h"
#include "mistakes.h"
#include "options/user_settings.h"
#include "output/output.h"
#include "output/pager.h"
#include "version.h"

namespace steno::cli {
namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, ExitCode* code);
  bool is_paged = false;  // a person reads what it prints
};
constexpr Command kCommands[] = {
    {"agg", add_agg, true},
    {"cat", add_cat, true},
    {"clocks", add_clocks, true},
    {"completion", add_completion},
    {"ctl", add_ctl},
    {"cut", add_cut},
    {"diff", add_diff, true},
    {"help", add_help},
    {"pack", add_pack},
    {"pair", add_pair, true},
    {"ps", add_ps, true},
    {"recover", add_recover},
    {"redact", add_redact},
    {"scribe", add_scribe},
    {"check-ring", add_check_ring},
    {"sites", add_sites, true},
    {"stat", add_stat, true},
    {"tail", add_tail, true},
    {"top", add_top},
    {"trace", add_trace},
    {"verify", add_verify, true},
    {"web", add_web},
};

constexpr const char* kNoPager = "--no-pager";

const Command* command_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [name](const Command& command) { return command.name == name; });
  return found != std::end(kCommands) ? found : nullptr;
}

// A program of its own has its server (web/web.h).
constexpr std::string_view kApart = "web";

// Adds only the command that the first word names, if it names one: making the options of all commands takes longer
// than most commands run.
void add_commands(CLI::App& app, std::string_view first, ExitCode* code) {
  const Command* const named = command_named(first);
  for (const Command& command : kCommands) {
    if (named != nullptr && named != &command) continue;
    command.add(app, code);
    if (!command.is_paged) continue;
    app.get_subcommand(std::string(command.name))
        ->add_flag_callback(kNoPager, forbid_pager, "Print all at once on a terminal, rather than in a pager");
  }
}

// Help is for reading, whatever is wrong with the user's file.
void page_help(const std::vector<std::string>& words) {
  (void)read_user_settings();
  const auto& configured = user_settings().pager;
  if (std::find(words.begin(), words.end(), kNoPager) == words.end()) allow_pager(configured ? &*configured : nullptr);
}

// False: the user's file is wrong, which was reported.
bool page_output() {
  if (const Status status = read_user_settings(); !status.ok()) {
    complain(status.message());
    if (status.code() != StatusCode::kUnsupported) return false;
  }
  const auto& configured = user_settings().pager;
  allow_pager(configured ? &*configured : nullptr);
  return true;
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
    page_help(*words);
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

// Answers the script of `steno completion`: the words that the last one may become, a line each.
void complete(const std::vector<std::string>& words, ExitCode* code) {
  CLI::App app("", "steno");
  add_commands(app, "", code);
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
      "'steno help COMMAND' explains a command, 'steno help TOPIC' how to ask and what you can set for all of them; "
      "topics are " +
      names_of_topics() + ".");
  set_default_threads(0);  // undoes --jobs of an earlier call
  add_commands(app, argc > 1 ? argv[1] : "", &code);
  const Command* const command = argc > 1 ? command_named(argv[1]) : nullptr;
  const bool wants_help =
      std::any_of(words.begin(), words.end(), [](auto& word) { return word == "--help" || word == "-h"; });
  if (command != nullptr && command->is_paged && !wants_help && !page_output()) return kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // help, version
      std::ostringstream text;
      app.exit(error, text, text);
      if (dynamic_cast<const CLI::CallForVersion*>(&error) == nullptr) page_help(words);
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
  if ((is_command && word != kApart) || !is_name) return;
  std::string program = "steno-" + std::string(word);
  std::vector<char*> arguments = {program.data()};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  // One beside the command is of the same version: a package installs both, and its folder need not be in the PATH.
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv((self.parent_path() / program).c_str(), arguments.data());
  if (is_command) return;  // it says what is missing
  ::execvp(program.c_str(), arguments.data());
  // Without such a program: its word is a mistake, as any other.
}

int run_command_line(int argc, char** argv) {
  int code = kExitUnreadable;
  try {
    code = run(argc, argv);
  } catch (const std::bad_alloc&) {
    complain(out_of_memory_text());
  } catch (const std::exception& error) {
    complain(error.what());
  }
  if (!wait_for_pager()) code = std::max<int>(code, kExitUnreadable);
  return code;
}

}  // namespace steno::cli
