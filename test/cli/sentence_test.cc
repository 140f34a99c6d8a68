// Tests the sentences that the command makes of CLI11's own words, which differ between its versions.
#include <gtest/gtest.h>

#include "mistakes.h"

namespace steno::cli {
namespace {

std::string sentence(const char* said) {
  CLI::App app("Reads.", "steno");
  app.add_subcommand("cat", "Print");
  app.parse("cat");
  return sentence_of(CLI::ArgumentMismatch(said), app);
}

TEST(Sentence, OfEachVersionOfTheLibrary) {
  for (const char* said : {"--head: At Most 1 required but received 2", "--head: At most 1 required but received 2"})
    EXPECT_EQ(sentence(said), "--head is given more than once") << said;
  for (const char* said : {"--head: 1 required N missing", "--head: At least 1 required but received 0"})
    EXPECT_EQ(sentence(said), "--head: the value is missing") << said;
}

}  // namespace
}  // namespace steno::cli
