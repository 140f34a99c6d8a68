#include "help.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "output/table.h"

namespace steno::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMeaning = 30;  // column in which the meaning of an option begins

using Options = std::vector<const CLI::Option*>;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : between).append(word);
  return out;
}

// The one name that stands for it where others are named with it.
std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_single_name();
  return (option.get_lnames().empty() ? "-" : "--") + option.get_single_name();
}

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_single_name();
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return joined(names, ",");
}

// The library keeps `some` ordered by their addresses: here they are in the order of the command's options.
std::string list_of(const char* what, const std::set<CLI::Option*>& some, const Options& all) {
  std::string out;
  for (const CLI::Option* option : all) {
    if (std::any_of(some.begin(), some.end(), [&](const CLI::Option* one) { return one == option; }))
      out += " " + name_of(*option);
  }
  return out.empty() ? out : std::string(" ") + what + ":" + out;
}

// The text before the meaning: names, value, whether it must be there, what goes with it.
std::string left_of(const CLI::Option& option, const Options& all) {
  std::string out = names_of(option);
  if (option.get_type_size() != 0) {  // no flag
    if (!option.get_type_name().empty()) out += " " + option.get_type_name();
    if (!option.get_default_str().empty()) out += "=" + option.get_default_str();
    if (option.get_expected_max() > 1) out += " ...";
    if (option.get_required()) out += " REQUIRED";
  }
  return out + list_of("Needs", option.get_needs(), all) + list_of("Excludes", option.get_excludes(), all);
}

// Wraps each line on its own; examples stay as they are.
void put_text(const std::string& text, std::ostream& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
    const bool is_example = line.compare(margin, 6, "steno ") == 0;
    out << (is_example ? line : wrapped(line, kColumns, margin)) << '\n';
  }
}

// The meaning begins on the next line where what precedes it is too wide.
void put_entry(const std::string& left, const std::string& meaning, std::ostream& out) {
  std::string line = "  " + left;
  if (line.size() >= kMeaning && !meaning.empty()) {
    out << wrapped(line, kColumns, 2) << '\n';
    line.clear();
  }
  if (!meaning.empty()) line.resize(kMeaning, ' ');
  out << wrapped(line + meaning, kColumns, kMeaning) << '\n';
}

void put_options(const std::string& heading, const Options& some, const Options& all, std::ostream& out) {
  if (some.empty()) return;
  out << '\n' << heading << ":\n";
  for (const CLI::Option* option : some) put_entry(left_of(*option, all), option->get_description(), out);
}

void put_usage(const std::string& name, const CLI::App& app, const Options& all, std::ostream& out) {
  out << "Usage: " << name << " [OPTIONS]";  // there is --help, always
  for (const CLI::Option* option : all) {
    if (!option->get_positional()) continue;
    const std::string word = option->get_single_name() + (option->get_expected_max() > 1 ? "..." : "");
    out << ' ' << (option->get_required() ? word : "[" + word + "]");
  }
  if (!app.get_subcommands({}).empty()) out << " SUBCOMMAND";
  out << '\n';
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::ostringstream out;
  const Options all = app->get_options({});
  put_text(app->get_description(), out);
  put_usage(name, *app, all, out);

  Options positionals;
  std::copy_if(all.begin(), all.end(), std::back_inserter(positionals),
               [](auto* one) { return one->get_positional(); });
  put_options("Positionals", positionals, all, out);
  const std::string plain = CLI::OptionDefaults().get_group();  // a word of the library's: "Options", "OPTIONS"
  for (const std::string& group : app->get_groups()) {
    Options some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [&](auto* one) { return !one->get_positional() && one->get_group() == group; });
    put_options(group == plain ? "Options" : group, some, all, out);
  }

  const std::vector<const CLI::App*> commands = app->get_subcommands({});
  if (!commands.empty()) out << "\nSubcommands:\n";
  for (const CLI::App* command : commands) put_entry(command->get_name(), command->get_description(), out);
  if (!app->get_footer().empty()) out << '\n';
  put_text(app->get_footer(), out);
  return out.str();
}

}  // namespace steno::cli
