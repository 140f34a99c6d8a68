#include "foreign_words.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "input/inputs.h"

namespace steno::cli {
namespace {

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
    {"errors", "use 'steno cat FILE --level ERROR'"},
    {"info", "use 'steno stat FILE'"},
    {"stats", "use 'steno stat FILE'"},
    {"statements", "use 'steno sites FILE'"},
    {"level", "use 'steno ctl FILE level LEVEL'"},
    {"repair", "use 'steno recover FILE'"},
    {"merge", "use 'steno pack FILE... -o NEW'"},
    {"compress", "use 'steno pack FILE -o NEW'"},
    {"extract", "use 'steno cut FILE --since TIME -o NEW'"},
    {"ls", "use 'steno stat FILE' for what is in logs, 'steno ps' for what processes log"},
    {"ui", "use 'steno web FILE'"},
    {"serve", "use 'steno web FILE'"},
    {"sql", "it is 'steno-sql' of the Python package, which is not on PATH"},
};

// Options that other tools have for one thing, and what it may be called here: the first that the command has is meant.
struct OtherOptions {
  std::vector<std::string_view> typed;
  std::vector<std::string_view> here;
};

std::vector<OtherOptions> other_options() {
  return {
      {{"-i"}, {"--ignore-case"}},
      {{"-v", "--invert-match", "--exclude"}, {"--grep-not"}},
      {{"-e", "-E", "-P", "-F", "--regex", "--regexp", "--search", "--match", "--pattern"}, {"--grep"}},
      {{"-p", "-l", "-L", "--priority", "--severity", "--loglevel"}, {"--level"}},
      {{"-s", "-S", "--from", "--start", "--begin"}, {"--since"}},
      {{"-u", "-U", "--to", "--end"}, {"--until"}},
      {{"-t", "--range", "--between"}, {"--time"}},
      {{"-c"}, {"--count"}},
      {{"-m", "--max-count", "--first", "--head", "--limit", "--top", "-n"},
       {"--head", "--limit", "--top", "--slowest"}},
      {{"--last", "--lines", "--tail"}, {"--tail", "--lines"}},
      {{"--json", "--csv", "--jsonl", "--logfmt"}, {"--format"}},
      {{"--fields", "--select", "--show"}, {"--columns"}},
      {{"--filter", "--query"}, {"--where"}},
      {{"--group", "--group-by", "-g", "-b"}, {"--by"}},
      {{"--order", "--order-by"}, {"--sort"}},
  };
}

bool is_one_of(std::string_view word, const std::vector<std::string_view>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether all that the command has to say is what it prints.
bool prints(std::string_view command) {
  return is_one_of(command, {"cat", "tail", "agg", "pair", "diff", "clocks", "trace", "stat", "sites", "verify", "ps"});
}

}  // namespace

std::string command_instead(const std::string& word) {
  for (const OtherWord& other : kOtherWords) {
    if (other.word == word) return "; " + std::string(other.instead);
  }
  if (word.find_first_of("/.") == std::string::npos || !names_files(word)) return "";
  std::error_code ignored;
  return "; use 'steno cat " + word + (std::filesystem::is_directory(word, ignored) ? "/*.steno'" : "'");
}

std::string option_instead(std::string_view name, std::string_view command, const std::vector<std::string>& options) {
  const auto has = [&](std::string_view option) {
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  if (is_one_of(name, {"-o", "--output"}) && prints(command)) return "; it writes to standard output: '> FILE'";
  if (is_one_of(name, {"--host", "--program", "--pid", "--file", "--function"}) && has("--where")) {
    return "; use --where '" + std::string(name.substr(2)) + " == " + (name == "--pid" ? "4711" : "\"...\"") + "'";
  }
  if (is_one_of(command, {"stat", "sites"}) && is_one_of(name, {"--time", "--since", "--until", "--level", "--where",
                                                                "--grep", "--thread", "--logger", "--sort", "--by"})) {
    return "; use 'steno agg FILE --by site' with it";
  }
  for (const OtherOptions& other : other_options()) {
    if (!is_one_of(name, other.typed)) continue;
    for (const std::string_view one : other.here) {
      if (!has(one)) continue;
      return "; use " + std::string(one) + (one == "--format" ? " " + std::string(name.substr(2)) : "");
    }
  }
  // The nearest single letter is no guess worth making.
  return name.size() == 2 && name[1] != '-' ? "; see 'steno " + std::string(command) + " --help'" : "";
}

}  // namespace steno::cli
