#include "mistakes.h"

#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "foreign_words.h"

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

// Arguments that no option or positional takes.
std::string unexpected(const std::string& word, const CLI::App& command) {
  const std::string path = command.get_parent() == nullptr ? "steno" : "steno " + command.get_name();
  if (word.size() < 2 || word[0] != '-') return "'" + path + "' does not take '" + word + "'";
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> options = options_of(command);
  const std::string instead = option_instead(name, command.get_name(), options);
  return "'" + path + "' has no option '" + name + "'" + (instead.empty() ? did_you_mean(name, options) : instead);
}

std::string without_command(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return "no command given; 'steno --help' lists them";
  if (words[0][0] == '-') return unexpected(words[0], app);
  const std::string unknown = "unknown command '" + words[0] + "'";
  const std::string instead = command_instead(words[0]);
  return unknown + (instead.empty() ? did_you_mean(words[0], commands_of(app)) : instead);
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
      // Only the text has what follows "--".
      return unexpected(command.remaining().empty() ? text.substr(text.rfind(": ") + 2) : command.remaining()[0],
                        command);
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
