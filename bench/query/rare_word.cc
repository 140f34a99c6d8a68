// A rare word in many messages: `steno cat --grep` beside grep, and ripgrep where it is installed, on the text.
//
//   rare_word [--messages N] [--text-messages N] ...      defaults: 100 and 10 million
//
// Text takes long to make, so it has fewer messages; its times are scaled to ours.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "common/harness.h"
#include "query/commands.h"
#include "query/logs.h"

namespace steno::bench {
namespace {

const std::string kSteno = STENO_BINARY;
constexpr std::size_t kRare = 7;  // times the word comes

Suite rare_word(const Flags& flags, std::size_t messages, std::size_t text_messages, int rounds) {
  Suite suite{"rare_word", "A word that comes " + std::to_string(kRare) + " times in " +
                               std::to_string(messages / 1'000'000) + " M messages", "s", true, {}, {}};
  const std::string log = flags.directory + "/word.steno";
  const std::string text = flags.directory + "/word.txt";
  const auto add = [&](const std::string& label, double seconds) {
    suite.rows.push_back({label, {{"seconds", seconds}}});
    std::printf("%-40s %10.4f s\n", label.c_str(), seconds);
    return seconds;
  };
  write_word_log(log, messages, kRare);
  std::string found;
  const double ours = add("steno cat --grep", seconds_of("'" + kSteno + "' cat '" + log + "' --grep xylophone", rounds, &found));
  const auto lines = static_cast<double>(std::count(found.begin(), found.end(), '\n'));
  suite.bars.push_back({"lines that steno finds", lines, kRare, lines == kRare});
  add("steno cat --grep, a regular expression",
      seconds_of("'" + kSteno + "' cat '" + log + "' --grep 'xylo(phone|graph)\\.ex'", rounds));
  add("steno cat --grep, a word that is not there", seconds_of("'" + kSteno + "' cat '" + log + "' --grep zebra", rounds));
  std::filesystem::remove(log);

  write_word_log(log, text_messages, kRare);
  if (write_text(kSteno, log, text) != 0) {
    const double factor = static_cast<double>(messages) / static_cast<double>(text_messages);
    const double grep = add("grep -F on the text", factor * seconds_of("LC_ALL=C grep -F xylophone '" + text + "'", rounds));
    double best = grep;
    const char* name = "grep -F";
    if (have("rg")) {
      const double rg = add("ripgrep on the text", factor * seconds_of("rg -N xylophone '" + text + "'", rounds));
      best = rg;
      name = "ripgrep";
    } else {
      std::printf("ripgrep is not installed\n");
    }
    suite.bars.push_back({std::string(name) + " / steno", best / ours, 20, best / ours >= 20});
  }
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;  // NOLINT: a program of one file
  std::size_t messages = take_number(&argc, argv, "--messages", 100'000'000);
  std::size_t text_messages = take_number(&argc, argv, "--text-messages", 10'000'000);
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) messages = text_messages = 20'000;
  return finish(flags, {rare_word(flags, messages, text_messages, flags.smoke ? 1 : 5)});
}
