// Names of files and the like: cut at their last delimiter, as template strings (file.md §9.6).
#include <gtest/gtest.h>

#include <string>

#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

// Files of many kinds in some hundred directories.
class Files {
 public:
  Files(std::uint64_t seed, char delimiter) : rng_(seed), delimiter_(delimiter) {
    for (int i = 0; i < 300; ++i) {
      std::string directory;
      for (std::size_t k = 2 + rng_() % 5; k > 0; --k) directory += delimiter_ + text(rng_, 3, 12);
      directories_.push_back(directory);
    }
  }
  std::string path() {
    const std::string& directory = directories_[rng_() % directories_.size()];
    static constexpr const char* kEnds[] = {"_log", "-gz", "", "_tmp~"};
    return directory + delimiter_ + text(rng_, 1, 3) + std::to_string(rng_() % 100'000) + kEnds[rng_() % 4];
  }
  Strings paths(std::size_t n) {
    Strings all;
    while (all.size() < n) all.emplace_back(path());
    return all;
  }
  Rng& rng() { return rng_; }

 private:
  Rng rng_;
  char delimiter_;
  std::vector<std::string> directories_;
};

TEST(PathStrings, AreCutAtEachDelimiter) {
  for (const char delimiter : {'/', '\\', '.', ':'}) {
    Files files(1, delimiter);
    Columns columns;
    for (int block = 0; block < 3; ++block) {
      const Strings paths = files.paths(3000);
      const auto column = columns.pass(paths);
      ASSERT_EQ(codec_of(column), CodecId::kTemplateStrings) << delimiter << block;
      ASSERT_LT(column.size() * 4, bytes_of(paths)) << delimiter << block;
    }
  }
}

TEST(PathStrings, AreLeftOutInAHurry) {
  Files files(2, '/');
  Columns columns;
  ASSERT_EQ(codec_of(columns.pass(files.paths(3000))), CodecId::kTemplateStrings);
  columns.context().quick = true;
  EXPECT_NE(codec_of(columns.pass(files.paths(3000))), CodecId::kTemplateStrings);
  EXPECT_TRUE(columns.context().memory->left_out);
}

TEST(PathStrings, HoldNullsEmptyOnesAndAnyBytes) {
  Files files(3, '/');
  for (int block = 0; block < 4; ++block) {
    Columns columns;
    Strings strings = files.paths(4000);
    for (std::size_t i = 0; i < strings.size(); i += 5) {
      disturb(&strings[i], files.rng(), 4, [&](std::string& s, std::size_t k) {
        if (k == 0) s = "/";
        if (k == 1) s += '/';
        if (k == 2) s = text(files.rng(), 1, 9);
        if (k == 3) s = "/" + text(files.rng(), 1, 90);
      });
    }
    EXPECT_EQ(codec_of(columns.pass(strings)), CodecId::kTemplateStrings) << block;
  }
}

// A repeated part may end, and another delimiter may be the better one.
TEST(PathStrings, FollowWhatIsLogged) {
  Files slashes(4, '/');
  Files dots(5, '.');
  Columns columns;
  ASSERT_EQ(codec_of(columns.pass(slashes.paths(3000))), CodecId::kTemplateStrings);
  columns.pass(dots.paths(3000));
  std::size_t cut = 0;
  for (int block = 0; block < 80; ++block) {
    const Strings paths = dots.paths(500);
    cut = columns.pass(paths).size();
    ASSERT_LT(cut, bytes_of(paths)) << block;
  }
  Columns anew;
  EXPECT_LT(cut, anew.pass(dots.paths(500)).size() * 5 / 4);
}

TEST(PathStrings, AreNotForOtherTexts) {
  for (const char* name : {"varying", "few", "tokens", "any_bytes", "addresses", "times"}) {
    for (const Distribution& distribution : kDistributions) {
      if (std::string(distribution.name) != name) continue;
      EXPECT_NE(codec_of(Columns().pass(make(distribution, 3000))), CodecId::kTemplateStrings) << name;
    }
  }
}

}  // namespace
}  // namespace steno::format
