#include "completion.h"

#include <algorithm>
#include <set>

#include "command.h"
#include "follow/open_log.h"
#include "input/inputs.h"
#include "output/table.h"
#include "query/filter/expression.h"
#include "query/filter/filter.h"

namespace steno::cli {
namespace {

// What the files on the line have.
struct Names {
  std::set<std::string> threads;
  std::set<std::string> loggers;
  std::set<std::string> places;
  std::set<std::string> formats;
  std::set<std::string> arguments;
};

Names names_in(const std::vector<std::string>& words) {
  Names names;
  reader::LogSet logs;
  for (const std::string& word : words) {
    if (word == "-" || !names_files(word)) continue;
    ExitCode code = kExitOk;
    std::vector<std::string> problems;
    for (const std::string& path : expand_patterns({word}, &code)) (void)follow::add_log(path, &logs, &problems);
  }
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Thread& thread : session->dictionary.all_threads()) names.threads.insert(thread.display());
      for (const reader::Logger& logger : session->dictionary.all_loggers()) names.loggers.insert(logger.info.name);
    }
  }
  for (const reader::Site* site : query::statements_of(logs)) {
    const wire::SiteInfo& info = site->info();
    names.places.insert(info.file.substr(info.file.rfind('/') + 1) + ":" + std::to_string(info.line));
    names.formats.insert(info.format);
    for (const std::string& name : site->value_names()) names.arguments.insert(name);
  }
  return names;
}

std::vector<std::string> fields_and(const std::set<std::string>& arguments) {
  std::vector<std::string> all = query::field_names();
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

std::vector<std::string> list_of(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

// Each with what stands before it in the word: "time,th" becomes "time,thread".
std::vector<std::string> after(std::string_view before, const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(std::string(before) + name);
  return all;
}

// Up to the last comma, or the last blank or parenthesis of an expression.
std::string_view beginning(std::string_view word, std::string_view separators) {
  const std::size_t at = word.find_last_of(separators);
  return word.substr(0, at == std::string_view::npos ? 0 : at + 1);
}

std::vector<std::string> values_of(const std::string& option, const std::string& word, const std::string& command,
                                   const std::vector<std::string>& words) {
  if (option == "--level") return {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
  if (option == "--color") return {"auto", "always", "never"};
  if (option == "--format") {
    return command == "cat" || command == "tail" ? std::vector<std::string>{"text", "json", "csv", "logfmt"}
                                                 : table_formats();
  }
  if (option == "--op") {
    return after(beginning(word, ","), {"count", "min", "max", "mean", "median", "sum", "stddev", "p50", "p90", "p99",
                                        "p99.9", "distinct", "top", "hist", "share", "first", "last"});
  }
  const Names names = names_in(words);
  if (option == "--thread") return list_of(names.threads);
  if (option == "--logger") return list_of(names.loggers);
  if (option == "--site") return list_of(names.places);
  if (option == "--arg" || option == "--lines-of" || option == "--key") return list_of(names.arguments);
  if (option == "--by") return fields_and(names.arguments);
  if (option == "--columns") return after(beginning(word, ","), fields_and(names.arguments));
  if (option == "--where") return after(beginning(word, " ("), fields_and(names.arguments));
  return {};
}

// Whether the option takes a value.
const CLI::Option* option_named(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->check_name(name)) return option->get_type_size() != 0 ? option : nullptr;
  }
  return nullptr;
}

std::vector<std::string> options_of_command(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool takes_statements(const std::string& command) {
  return command == "agg" || command == "pair";
}

constexpr const char* kBash = R"sh(_steno() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf %q "$word")")
  done < <(steno complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _steno steno
)sh";
constexpr const char* kZsh = R"sh(#compdef steno
_steno() {
  local -a found
  found=("${(@f)$(steno complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -U -a found; else _files; fi
}
compdef _steno steno
)sh";
constexpr const char* kFish = R"sh(function __steno_complete
  set -l words (commandline -opc) (commandline -ct)
  steno complete $words[2..-1] 2>/dev/null
end
complete -c steno -a '(__steno_complete)'
)sh";

}  // namespace

std::vector<std::string> completions_of(const std::vector<std::string>& words, const CLI::App& app) {
  std::vector<std::string> candidates;
  const std::string word = words.empty() ? "" : words.back();
  const std::string command_name = words.empty() ? "" : words[0];
  const auto commands = app.get_subcommands({});
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [&](const CLI::App* one) { return one->get_name() == command_name; });
  if (words.size() < 2) {
    for (const CLI::App* one : commands) candidates.push_back(one->get_name());
  } else if (command_name == "help") {
    candidates = topic_names();
    for (const CLI::App* one : commands) candidates.push_back(one->get_name());
  } else if (chosen != commands.end()) {
    const std::vector<std::string> given(words.begin() + 1, words.end() - 1);
    const std::string last = given.empty() ? "" : given.back();
    if (last.starts_with("-") && option_named(**chosen, last) != nullptr) {
      candidates = values_of(last, word, command_name, given);
    } else if (word.starts_with("-")) {
      candidates = options_of_command(**chosen);
    } else if (takes_statements(command_name)) {
      candidates = list_of(names_in(given).formats);
    }
  }
  std::erase_if(candidates, [&](const std::string& one) { return !one.starts_with(word); });
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

const char* completion_script(const std::string& shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : shell == "fish" ? kFish : nullptr;
}

}  // namespace steno::cli
