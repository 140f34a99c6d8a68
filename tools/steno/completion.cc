#include "completion.h"

#include <algorithm>
#include <map>
#include <set>

#include "command.h"
#include "follow/open_log.h"
#include "input/inputs.h"
#include "output/table.h"
#include "query/filter/expression.h"
#include "query/filter/filter.h"

namespace steno::cli {
namespace {

// The names that files on the line have.
struct Names {
  std::set<std::string> threads;
  std::set<std::string> loggers;
  std::set<std::string> hosts;
  std::set<std::string> places;
  std::set<std::string> formats;
  std::set<std::string> arguments;
  std::map<std::string, std::set<std::string>> values;  // of arguments that are enumerations, in quotes
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
      names.hosts.insert(session->info.host);
      for (const reader::Thread& thread : session->dictionary.all_threads()) names.threads.insert(thread.display());
      for (const reader::Logger& logger : session->dictionary.all_loggers()) names.loggers.insert(logger.info.name);
    }
  }
  for (const reader::Site* site : query::statements_of(logs)) {
    const wire::SiteInfo& info = site->info();
    names.places.insert(info.file.substr(info.file.rfind('/') + 1) + ":" + std::to_string(info.line));
    names.formats.insert(info.format);
    for (const std::string& name : site->value_names()) names.arguments.insert(name);
    const std::vector<std::string>& arguments = site->argument_names();
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      const text::Meaning* const meaning = site->meaning(i);
      if (meaning == nullptr) continue;
      for (const auto& [bits, value] : meaning->names())
        names.values[arguments[i]].insert("\"" + std::string(value) + "\"");
    }
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

// The field whose value comes next in an expression that ends in a comparison, "side == k"; else empty.
std::string_view compared_field(std::string_view word) {
  std::string_view text = beginning(word, " (");
  const auto drop = [&text](std::string_view characters) {
    const std::size_t last = text.find_last_not_of(characters);
    text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    return text.size();
  };
  const std::size_t before = drop(" (");
  const bool is_in = text.ends_with(" in");
  if (is_in) text.remove_suffix(3);
  if (!is_in && drop("=!") == before) return {};
  drop(" ");
  const std::string_view field = text.substr(beginning(text, " (").size());
  return field;
}

std::vector<std::string> values_of(const std::string& option, const std::string& word, const std::string& command,
                                   const std::vector<std::string>& words) {
  if (option == "--level") return {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
  if (option == "--color" || option == "--show-context") return {"auto", "always", "never"};
  if (option == "--time-format") return {"s", "ms", "us", "ns", "relative", "delta"};
  if (option == "--same") return {"thread", "tid", "pid", "program", "host", "logger"};
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
  if (option == "--arg" || option == "--key") return list_of(names.arguments);
  if (option == "--lines-of") return after(beginning(word, "="), list_of(names.arguments));
  if (option == "--shift") {
    std::vector<std::string> all = {"auto"};
    for (const std::string& host : names.hosts) all.push_back(host + "=");
    return all;
  }
  if (option == "--reference") return list_of(names.hosts);
  if (option == "--by") return fields_and(names.arguments);
  if (option == "--columns") return after(beginning(word, ","), fields_and(names.arguments));
  if (option == "--where") {
    const auto values = names.values.find(std::string(compared_field(word)));
    if (values != names.values.end()) return after(beginning(word, " ("), list_of(values->second));
  }
  if (option == "--where") return after(beginning(word, " ("), fields_and(names.arguments));
  return {};
}

// Returns the option of that name if it takes a value; else nullptr.
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
  return command == "agg" || command == "clocks" || command == "pair";
}

// Bash splits words at colons and equals signs too, and leaves quotes in them, so this reads the line itself. What is
// offered replaces the word of bash: the part after the last such sign.
constexpr const char* kBash = R"sh(_steno() {
  local line=${COMP_LINE:0:COMP_POINT} word= quote= quoted= c i one
  local -a words=()
  for ((i = 0; i < ${#line}; ++i)); do
    c=${line:i:1}
    if [[ -n $quote ]]; then
      if [[ $c == "$quote" ]]; then quote=; else word+=$c; fi
    elif [[ $c == [\'\"] ]]; then
      quote=$c quoted=1
    elif [[ $c == \\ ]]; then
      i=$((i + 1)) word+=${line:i:1}
    elif [[ $c == ' ' ]]; then
      if [[ -n $word$quoted ]]; then words+=("$word"); fi
      word= quoted=
    else
      word+=$c
    fi
  done
  local last=${COMP_WORDS[COMP_CWORD]}
  if [[ -n $quote ]]; then last=${last#"$quote"}; fi
  if [[ $last == [:=] ]]; then last=; fi
  local before=${word%"$last"}
  COMPREPLY=()
  while IFS= read -r one; do
    one=${one#"$before"}
    if [[ -n $quote ]]; then COMPREPLY+=("$one"); else COMPREPLY+=("$(printf %q "$one")"); fi
  done < <(steno complete "${words[@]:1}" "$word" 2>/dev/null)
}
complete -o default -F _steno steno
)sh";
constexpr const char* kZsh = R"sh(#compdef steno
_steno() {
  local -a found
  found=("${(@f)$(steno complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -U -a found; else _files; fi
}
compdef _steno steno
)sh";
constexpr const char* kFish = R"sh(function __steno_complete
  set -l words (commandline -opc) (commandline -ct | string replace -r '^["\']' '')
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
    const auto requests = (*chosen)->get_subcommands({});
    if (last.starts_with("-") && option_named(**chosen, last) != nullptr) {
      candidates = values_of(last, word, command_name, given);
    } else if (word.starts_with("-")) {
      candidates = options_of_command(**chosen);
    } else if (!requests.empty() && given.size() == 1) {
      for (const CLI::App* one : requests) candidates.push_back(one->get_name());
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
