// String runs (file.md §9.6.5).
#include "format/strings/runs/codec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

// Strings that come some times in a row, with `more` repeats on average.
Strings bursts(Rng& rng, std::size_t n, std::size_t more) {
  Strings all;
  while (all.size() < n) {
    const std::string s = std::to_string(rng() % 256) + "." + std::to_string(rng() % 256) + ".17.3";
    for (std::size_t k = rng() % (2 * more + 1) + 1; k > 0 && all.size() < n; --k) all.emplace_back(s);
  }
  return all;
}

TEST(StringRuns, AreChosenForBursts) {
  Rng rng(1);
  Columns columns;
  for (int block = 0; block < 40; ++block) {
    ASSERT_EQ(codec_of(columns.pass(bursts(rng, 2'000, 9))), CodecId::kStringRuns) << block;
  }
}

TEST(StringRuns, CostAboutWhatTheirStringsDo) {
  Rng rng(2);
  const Strings strings = bursts(rng, 20'000, 9);
  Strings once;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (i == 0 || strings[i] != strings[i - 1]) once.push_back(strings[i]);
  }
  EXPECT_LT(Columns().pass(strings).size(), Columns().pass(once).size() + once.size() + 200);
}

// Few strings that come again and again: their indices take less.
TEST(StringRuns, AreNotForFewStrings) {
  Rng rng(3);
  Strings methods;
  while (methods.size() < 20'000) methods.emplace_back(rng() % 8 != 0 ? "GET" : rng() % 2 != 0 ? "POST" : "HEAD");
  EXPECT_NE(codec_of(Columns().pass(methods)), CodecId::kStringRuns);
}

TEST(StringRuns, AreNotForOtherTexts) {
  for (const Distribution& distribution : kDistributions) {
    EXPECT_NE(codec_of(Columns().pass(make(distribution, 3000))), CodecId::kStringRuns) << distribution.name;
  }
}

TEST(StringRuns, HoldNullsEmptyOnesAndAnyBytes) {
  Rng rng(4);
  Strings strings = bursts(rng, 6'000, 9);
  for (std::size_t i = 0; i + 20 < strings.size(); i += 60) {
    std::optional<std::string> s;
    if (rng() % 3 == 0) s = "";
    if (rng() % 3 == 0) s = std::string(1, '\0') + "\xFF\n" + std::to_string(rng());
    for (std::size_t k = rng() % 20; k > 0; --k) strings[i + k] = s;
  }
  EXPECT_EQ(codec_of(Columns().pass(strings)), CodecId::kStringRuns);
}

// Any damage is told, or leads to other strings, in bounded memory.
TEST(StringRuns, SurviveDamage) {
  Rng rng(5);
  const Strings strings = bursts(rng, 3'000, 9);
  const auto column = Columns().pass(strings);
  ASSERT_EQ(codec_of(column), CodecId::kStringRuns);
  expect_damage_told(column, strings.size(), 40, test::random_cases(1'000), rng);
  Strings decoded;
  EXPECT_FALSE(decode_in_all_ways(column, strings.size() + 1, {}, &decoded));
}

// A column by hand: runs of the same length.
struct RunsByHand {
  std::uint64_t count = 2;
  std::uint64_t repeats = 1;
  std::vector<std::uint8_t> strings = constant_string("ab");

  std::optional<Strings> decode(std::size_t n) const {
    ByteBuffer column;
    column.put(static_cast<std::uint8_t>(CodecId::kStringRuns));
    column.put_varint(count);
    put_part(constant_number(repeats), &column);
    column.put_bytes(strings.data(), strings.size());
    Strings decoded;
    if (!decode_in_all_ways({column.data(), column.size()}, n, {}, &decoded)) return std::nullopt;
    return decoded;
  }
};

TEST(StringRuns, HaveLimits) {
  EXPECT_EQ(RunsByHand().decode(4), (Strings{"ab", "ab", "ab", "ab"}));
  EXPECT_FALSE(RunsByHand().decode(3));
  EXPECT_FALSE(RunsByHand().decode(5));
  EXPECT_FALSE((RunsByHand{.count = 0}).decode(1));
  EXPECT_FALSE((RunsByHand{.count = 5, .repeats = 0}).decode(4));
  EXPECT_TRUE((RunsByHand{.count = 4, .repeats = 0}).decode(4));
  EXPECT_FALSE((RunsByHand{.count = 2, .repeats = UINT32_MAX}).decode(4));
}

TEST(StringRuns, HoldNoneOfTheirOwnNorLargerOnes) {
  for (const CodecId codec : {CodecId::kStringRuns, CodecId::kListStrings, CodecId::kSharedStrings,
                              CodecId::kHexStrings, CodecId::kTemplateStrings}) {
    EXPECT_FALSE((RunsByHand{.strings = {static_cast<std::uint8_t>(codec), 1, 0, 0, 0, 0}}).decode(4));
  }
}

// file.md §9.7.
TEST(StringRuns, ExampleOfTheSpecification) {
  const std::uint8_t column[] = {0x1e, 2, 4, 2, 1, 0, 1, 0x10, 1, 2, 0x61, 0x62};
  Strings decoded;
  ASSERT_TRUE(decode_in_all_ways(column, 3, {}, &decoded));
  EXPECT_EQ(decoded, (Strings{"a", "a", "b"}));
}

}  // namespace
}  // namespace steno::format
