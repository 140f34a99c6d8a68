#include "mistakes.h"

#include <string_view>
#include <vector>

#include "base/suggest.h"

namespace steno::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option == command.get_help_ptr()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// Whether all that the command has to say is what it prints.
bool prints(const std::string& command) {
  for (const char* one : {"cat", "tail", "agg", "pair", "diff", "clocks", "trace", "stat", "sites", "verify", "ps"}) {
    if (command == one) return true;
  }
  return false;
}

// Arguments that no option or positional takes.
std::string unexpected(const std::string& word, const CLI::App& command) {
  const std::string path = command.get_parent() == nullptr ? "steno" : "steno " + command.get_name();
  if (word.size() < 2 || word[0] != '-') return "'" + path + "' does not take '" + word + "'";
  const std::string name = word.substr(0, word.find('='));
  const std::string none = "'" + path + "' has no option '" + name + "'";
  if ((name == "-o" || name == "--output") && prints(command.get_name()))
    return none + "; it writes to standard output: '> FILE'";
  return none + did_you_mean(name, options_of(command));
}

// Words that other tools have for what a command here does, and what to do instead.
struct OtherWord {
  std::string_view word;
  std::string_view instead;
};
constexpr OtherWord kOtherWords[] = {
    {"grep", "use 'steno cat FILE --grep TEXT'"},
    {"search", "use 'steno cat FILE --grep TEXT'"},
    {"find", "use 'steno cat FILE --grep TEXT'"},
    {"filter", "use 'steno cat FILE --where CONDITION'"},
    {"query", "use 'steno cat FILE --where CONDITION'"},
    {"print", "use 'steno cat FILE'"},
    {"show", "use 'steno cat FILE'"},
    {"view", "use 'steno cat FILE'"},
    {"dump", "use 'steno cat FILE'"},
    {"decode", "use 'steno cat FILE'"},
    {"less", "use 'steno cat FILE'"},
    {"head", "use 'steno cat FILE | head'"},
    {"follow", "use 'steno tail -f FILE'"},
    {"watch", "use 'steno tail -f FILE'"},
    {"count", "use 'steno cat FILE --count'"},
    {"wc", "use 'steno cat FILE --count'"},
    {"json", "use 'steno cat FILE --format json'"},
    {"csv", "use 'steno cat FILE --format csv'"},
    {"export", "use 'steno cat FILE --format csv' (or json), or for Parquet 'steno-export' of the Python package"},
    {"sum", "use 'steno agg FILE --op sum'"},
    {"hist", "use 'steno agg FILE --op hist'"},
    {"histogram", "use 'steno agg FILE --op hist'"},
    {"group", "use 'steno agg FILE --by NAME'"},
    {"compare", "use 'steno diff FILE FILE'"},
    {"check", "use 'steno verify FILE'"},
    {"info", "use 'steno stat FILE'"},
    {"stats", "use 'steno stat FILE'"},
    {"statements", "use 'steno sites FILE'"},
    {"level", "use 'steno ctl FILE level LEVEL'"},
    {"repair", "use 'steno recover FILE'"},
    {"merge", "use 'steno pack FILE... -o NEW'"},
    {"compress", "use 'steno pack FILE -o NEW'"},
    {"extract", "use 'steno cut FILE --since TIME -o NEW'"},
    {"ui", "use 'steno web FILE'"},
    {"serve", "use 'steno web FILE'"},
    {"sql", "it is 'steno-sql' of the Python package, which is not on PATH"},
};

std::string without_command(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return "no command given; 'steno --help' lists them";
  if (words[0][0] == '-') return unexpected(words[0], app);
  const std::string unknown = "unknown command '" + words[0] + "'";
  for (const OtherWord& other : kOtherWords) {
    if (other.word == words[0]) return unknown + "; " + std::string(other.instead);
  }
  return unknown + did_you_mean(words[0], commands_of(app));
}

// `text` with `from`, which is in it, replaced.
std::string replaced(std::string text, std::string_view from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace

std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<const CLI::App*> chosen = app.get_subcommands([](const CLI::App* one) { return one->parsed(); });
  if (chosen.empty()) return without_command(app);
  const CLI::App& command = *chosen[0];
  const std::string text = error.what();
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::ExtrasError:
      return unexpected(command.remaining().empty() ? text : command.remaining()[0], command);
    case CLI::ExitCodes::RequiredError:
      return replaced(text, " is required", " is missing; see 'steno " + command.get_name() + " --help'");
    case CLI::ExitCodes::ExcludesError:
      return replaced(text, " excludes ", " and ") + " cannot be used together";
    case CLI::ExitCodes::ArgumentMismatch: {
      const std::string name = text.substr(0, text.find(": "));
      // "At most" since CLI11 2.6.
      if (text.find(": At Most") != std::string::npos || text.find(": At most") != std::string::npos)
        return name + " is given more than once";
      if (text.find("required") != std::string::npos) return name + ": the value is missing";
      return text;
    }
    default:
      return text;
  }
}

}  // namespace steno::cli
