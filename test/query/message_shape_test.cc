// Where a text can be in a statement's messages: never too little, and little enough to be of use.
#include "query/message_shape.h"

#include <gtest/gtest.h>

#include <random>

#include "query/pattern.h"

namespace steno::query {
namespace {

wire::SiteInfo site(std::string format, std::string types, wire::Style style = wire::Style::kBrace) {
  wire::SiteInfo info;
  info.id = 16;
  info.format = std::move(format);
  info.types = std::move(types);
  info.style = style;
  return info;
}

NeedleSites find(const wire::SiteInfo& info, std::string_view text, bool ignore_case = false) {
  return MessageShape(info).find(Needle(text, ignore_case));
}

TEST(MessageShape, Literals) {
  const auto info = site("took {} ms, {{braces}}", "i");
  EXPECT_TRUE(find(info, "ms, {br").always);
  EXPECT_FALSE(find(info, "MS").possible());
  EXPECT_TRUE(find(info, "MS", true).always);
  EXPECT_TRUE(find(info, "").always);
  EXPECT_FALSE(find(info, "took ms").possible());
}

TEST(MessageShape, Numbers) {
  const auto info = site("took {} ms", "i");
  EXPECT_FALSE(find(info, "ook 17 m").always);
  EXPECT_TRUE(find(info, "ook 17 m").without_strings);
  EXPECT_TRUE(find(info, "17").without_strings);
  EXPECT_FALSE(find(info, "took 1x7 q").possible());
  EXPECT_FALSE(find(info, "timeout").possible());
}

TEST(MessageShape, Strings) {
  const auto info = site("from %s to %s.", "SS", wire::Style::kPrintf);
  const NeedleSites sites = find(info, "rom acme to");
  EXPECT_FALSE(sites.always);
  EXPECT_FALSE(sites.without_strings);
  const Needle needle("rom acme to", false);
  ASSERT_EQ(sites.columns.size(), 2u);
  EXPECT_TRUE(may_contribute(needle, sites.columns[0], "acme"));
  EXPECT_TRUE(may_contribute(needle, sites.columns[0], "from acme to"));
  EXPECT_FALSE(may_contribute(needle, sites.columns[0], "zeta"));
  EXPECT_TRUE(find(info, "timeout").possible());
  EXPECT_FALSE(may_contribute(Needle("timeout", false), find(info, "timeout").columns[0], "tim"));
}

// Whatever a message is made of, a text cut out of it is found possible.
TEST(MessageShape, NeverDeniesWhatIsThere) {
  std::mt19937 random(5);
  const auto text = [&](std::size_t most) {
    std::string t;
    for (std::size_t n = random() % (most + 1); n > 0; --n) t += "ab "[random() % 3];
    return t;
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string format;
    std::string types;
    std::string message;
    std::vector<std::string> values;
    for (int piece = 0; piece < 4; ++piece) {
      const std::string literal = text(3);
      format += literal;
      message += literal;
      if (random() % 4 == 0) continue;
      format += "{}";
      const bool is_string = random() % 3 != 0;
      types += is_string ? 'S' : 'i';
      values.push_back(is_string ? text(3) : std::to_string(random() % 200));
      message += values.back();
    }
    if (message.empty()) continue;
    const std::size_t at = random() % message.size();
    const std::string part = message.substr(at, 1 + random() % 6);
    const Needle needle(part, false);
    const NeedleSites sites = MessageShape(site(format, types)).find(needle);
    bool possible = sites.always || sites.without_strings;
    for (const NeedleSites::Column& column : sites.columns) {
      possible |= may_contribute(needle, column, values[column.argument]);
    }
    ASSERT_TRUE(possible) << "'" << part << "' in '" << format << "' printed as '" << message << "'";
    if (sites.always) continue;
    // And the other way: what is always there is there with other values too.
    ASSERT_NE(message.find(part), std::string::npos);
  }
}

TEST(MessageShape, AlwaysMeansAlways) {
  std::mt19937 random(6);
  for (int round = 0; round < 2'000; ++round) {
    std::string literals[3];
    for (std::string& literal : literals) {
      for (std::size_t n = random() % 4; n > 0; --n) literal += "ab"[random() % 2];
    }
    const std::string needle = std::string(1, "ab"[random() % 2]) + "ab"[random() % 2];
    const NeedleSites sites = find(site(literals[0] + "{}" + literals[1] + "{}" + literals[2], "Si"), needle);
    const bool in_one = literals[0].find(needle) != std::string::npos ||
                        literals[1].find(needle) != std::string::npos || literals[2].find(needle) != std::string::npos;
    EXPECT_EQ(sites.always, in_one);
  }
}

TEST(Pattern, NeedlesOfRegularExpressions) {
  const auto pattern = Pattern::make("(time|speed)out [0-9]+", PatternKind::kRegex, false);
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE((*pattern)->matches("a timeout 5"));
  EXPECT_FALSE((*pattern)->matches("a timeout"));
  ASSERT_FALSE((*pattern)->needles().empty());
  EXPECT_FALSE((*pattern)->may_match(std::vector<bool>((*pattern)->needles().size(), false)));
  EXPECT_TRUE((*pattern)->may_match(std::vector<bool>((*pattern)->needles().size(), true)));
}

// U+212A (Kelvin) is a 'k' to a search that ignores case: no needle may say otherwise.
TEST(Pattern, FoldsBeyondAscii) {
  const auto pattern = Pattern::make("kelvin", PatternKind::kRegex, true);
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(
      (*pattern)->matches("\xE2\x84\xAA"
                          "elvin"));
  const auto shape =
      MessageShape(site("\xE2\x84\xAA"
                        "elvin",
                        ""));
  std::vector<bool> present;
  for (const Needle& needle : (*pattern)->needles()) present.push_back(shape.find(needle).possible());
  EXPECT_TRUE((*pattern)->may_match(present));
}

}  // namespace
}  // namespace steno::query
