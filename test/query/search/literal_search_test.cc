// A literal text in many strings at once.
#include "query/search/literal_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "../random_cases.h"

namespace steno::query {
namespace {

using Rng = std::mt19937_64;

std::string some_text(Rng& rng, std::size_t most) {
  std::string s(rng() % (most + 1), '\0');
  for (char& c : s) c = "ab"[rng() % 2];
  return s;
}

TEST(LiteralSearch, FindsWhatEachContains) {
  Rng rng(1);
  std::size_t done = 0;
  for (int round = 0; round < test::random_cases(2'000); ++round) {
    std::string all;
    std::vector<std::size_t> begins;
    std::vector<std::string> texts(1 + rng() % 60);
    for (std::string& text : texts) {
      all += some_text(rng, 2);  // gaps are no part of a string
      text = some_text(rng, 12);
      begins.push_back(all.size());
      all += text;
    }
    std::vector<std::string_view> strings;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool null = rng() % 10 == 0;
      strings.push_back(null ? std::string_view() : std::string_view(all).substr(begins[i], texts[i].size()));
    }
    const std::string literal = "b" + some_text(rng, 9);
    std::vector<std::uint8_t> found(strings.size());
    if (!find_literal(literal, strings, found)) continue;
    ++done;
    for (std::size_t i = 0; i < strings.size(); ++i) {
      ASSERT_EQ(found[i] != 0, strings[i].find(literal) != std::string_view::npos) << literal << " " << strings[i];
    }
  }
  EXPECT_GT(done, 100u);
}

TEST(LiteralSearch, IsNotForStringsThatLieApart) {
  const std::string memory = "one two" + std::string(1000, ' ') + "three";
  const std::string_view all = memory;
  std::vector<std::uint8_t> found(2);
  const std::vector<std::string_view> apart = {all.substr(0, 3), all.substr(memory.size() - 5)};
  EXPECT_FALSE(find_literal("thr", apart, found));
  const std::vector<std::string_view> backwards = {all.substr(4, 3), all.substr(0, 3)};
  EXPECT_FALSE(find_literal("one", backwards, found));
  const std::vector<std::string_view> none = {{}, {}};
  EXPECT_FALSE(find_literal("one", none, found));
}

}  // namespace
}  // namespace steno::query
