// The layout of --help: whichever version of CLI11 there is. That version's own would differ.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "help.h"

namespace steno::cli {
namespace {

constexpr const char* kSampleHelp = R"(Does something with files, which takes a sentence that is longer than a line of
a terminal is wide
Usage: steno sample [OPTIONS] FILE... [LAST] SUBCOMMAND

Positionals:
  FILE TEXT ... REQUIRED      Files; '-' is standard input
  LAST TEXT Needs: --first    What comes last

Options:
  -h,--help                   Print this help message and exit
  --first N Excludes: --flag --unit --all
                              A number that says what comes first, with a
                              sentence of two lines
  -f,--flag Excludes: --first Yes or no
  --unit TEXT=ms Excludes: --first
                              A unit
  --bare

Where it goes:
  -o,--out,--output FILE ... REQUIRED
                              Where to write
  -a,--all Excludes: --first  Another option of the group

Subcommands:
  one                         The first
  another                     The other, of which there is more to say than fits
                              into one line

The end of it all is a long sentence, which is wrapped where the words of it do
not fit.

Example:
  steno sample --all --first 3 --output a-file-with-a-long-name --flag one two three
)";

std::string sample_help() {
  CLI::App app("Reads.", "steno");
  app.formatter(std::make_shared<HelpFormatter>());
  CLI::App* sample = app.add_subcommand(
      "sample", "Does something with files, which takes a sentence that is longer than a line of a terminal is wide");
  std::vector<std::string> files, out;
  std::string last, unit = "ms", bare;
  unsigned first = 0;
  bool flag = false, all = false;
  sample->add_option("FILE", files, "Files; '-' is standard input")->required();
  CLI::Option* const last_one = sample->add_option("LAST", last, "What comes last");
  CLI::Option* const first_one =
      sample->add_option("--first", first, "A number that says what comes first, with a sentence of two lines");
  first_one->type_name("N");
  last_one->needs(first_one);
  CLI::Option* const flag_one = sample->add_flag("-f,--flag", flag, "Yes or no");
  CLI::Option* const unit_one = sample->add_option("--unit", unit, "A unit")->capture_default_str();
  sample->add_flag("--bare", all, "");
  sample->add_option("-o,--out,--output", out, "Where to write")->type_name("FILE")->group("Where it goes")->required();
  CLI::Option* const all_one = sample->add_flag("-a,--all", all, "Another option of the group")->group("Where it goes");
  first_one->excludes(all_one)->excludes(unit_one)->excludes(flag_one);
  sample->add_subcommand("one", "The first");
  sample->add_subcommand("another", "The other, of which there is more to say than fits into one line");
  sample->footer(
      "The end of it all is a long sentence, which is wrapped where the words of it do not fit.\n\n"
      "Example:\n  steno sample --all --first 3 --output a-file-with-a-long-name --flag one two three");
  return HelpFormatter().make_help(sample, "steno sample", CLI::AppFormatMode::Normal);
}

// The library lists what an option excludes in the order of addresses, which is that of free blocks.
TEST(HelpFormat, IsTheSameOnEachHeap) {
  for (int holes = 1; holes < 12; ++holes) {
    std::vector<std::unique_ptr<char[]>> freed, kept;
    for (int i = 0; i < holes; ++i) {
      freed.push_back(std::make_unique<char[]>(sizeof(CLI::Option)));
      kept.push_back(std::make_unique<char[]>(64));
    }
    freed.clear();
    EXPECT_EQ(sample_help(), kSampleHelp) << holes;
  }
}

TEST(HelpFormat, IsTheSameWithEachVersionOfTheLibrary) {
  EXPECT_EQ(sample_help(), kSampleHelp);
}

}  // namespace
}  // namespace steno::cli
