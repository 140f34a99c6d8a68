// A rare word in many messages: `steno cat --grep` beside ripgrep on the text, where the word is in dictionaries of
// strings, among strings that are all different, and in a format only.
//
//   rare_word [--messages N] [--text-messages N] ...      defaults: 100 and 10 million
//
// Text takes long to make, so it has fewer messages; its times, less what the tool takes to start, are scaled to ours.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/harness.h"
#include "query/commands.h"
#include "query/logs.h"
#include "query/tables.h"

namespace steno::bench {
namespace {

constexpr std::size_t kRare = 7;  // times the word comes

struct Scale {
  std::size_t messages;
  std::size_t text_messages;
  int rounds;
};

struct Question {
  const char* name;
  const char* pattern;
};
constexpr Question kWord{"a word", "xylophone"};
constexpr Question kRegex{"a regular expression", "x[a-z]lo(phone|graph)"};
constexpr Question kAbsent{"a word that is not there", "zebra"};
constexpr Question kQuestions[] = {kWord, kRegex, kAbsent};

class RareWord {
 public:
  RareWord(const Flags& flags, const Scale& scale)
      : directory_(flags.directory),
        scale_(scale),
        tool_(have("rg") ? "rg" : "grep"),
        suite_{"rare_word",
               "A word that comes " + std::to_string(kRare) + " times in " + short_count(scale.messages) + " messages",
               "s",
               true,
               {},
               {}} {
    if (tool_ != "rg") std::printf("ripgrep is not installed: grep takes its place\n");
    std::ofstream file(directory_ + "/empty.txt");
  }

  Suite run() {
    places(Place::kDictionary, "among repeated strings");
    places(Place::kRaw, "among different strings");
    places(Place::kFormat, "in a format");
    return suite_;
  }

 private:
  void places(Place place, const std::string& column) {
    const std::string log = directory_ + "/word.steno";
    in_child([&] { write_word_log(log, scale_.messages, kRare, place); });
    for (const Question& question : kQuestions) ask_steno(question, log, column);
    std::filesystem::remove(log);

    const std::string text = directory_ + "/word.txt";
    in_child([&] { write_word_log(log, scale_.text_messages, kRare, place); });
    if (write_text(STENO_BINARY, log, text) == 0) std::exit(1);
    std::filesystem::remove(log);
    for (const Question& question : kQuestions) ask_text(question, text, column);
    std::filesystem::remove(text);
    for (const Question& question : kQuestions) {
      const double ours = value_of(suite_, ours_of(question), column);
      at_least(&suite_, rival_name() + " / steno, " + question.name + " " + column,
               value_of(suite_, rival_of(question), column) / ours, 20);
    }
  }

  std::string rival_name() const { return tool_ == "rg" ? "ripgrep" : "grep"; }
  std::string ours_of(const Question& question) const { return std::string("steno cat --grep, ") + question.name; }
  std::string rival_of(const Question& question) const { return rival_name() + " on the text, " + question.name; }

  void ask_steno(const Question& question, const std::string& log, const std::string& column) {
    std::string found;
    const double seconds = seconds_of(
        quoted(STENO_BINARY) + " cat " + quoted(log) + " --grep " + quoted(question.pattern), scale_.rounds, &found);
    const auto lines = static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n'));
    if (lines != (question.pattern == kAbsent.pattern ? 0 : kRare)) {
      std::fprintf(stderr, "steno finds %zu lines with %s\n", lines, question.pattern);
      std::exit(1);
    }
    note(&suite_, ours_of(question), column, seconds);
  }

  void ask_text(const Question& question, const std::string& text, const std::string& column) {
    const double factor = static_cast<double>(scale_.messages) / static_cast<double>(scale_.text_messages);
    const auto line = [&](const std::string& file) {  // 1: no such line
      return (tool_ == "rg" ? "rg -N " : "LC_ALL=C grep -E ") + quoted(question.pattern) + " " + quoted(file) +
             " || [ $? = 1 ]";
    };
    note(&suite_, rival_of(question), column,
         scaled_seconds(line, text, directory_ + "/empty.txt", factor, scale_.rounds));
  }

  std::string directory_;
  Scale scale_;
  std::string tool_;
  Suite suite_;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--messages", 100'000'000),
              take_number(&argc, argv, "--text-messages", 10'000'000), 5};
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) scale = {20'000, 20'000, 1};
  return finish(flags, {RareWord(flags, scale).run()});
}
