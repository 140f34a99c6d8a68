#include "base/level_rules.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/name_match.h"

namespace steno {
namespace {

using Of = LevelRule::Of;

TEST(LevelRules, EachKindOfRule) {
  const LevelRules read = parse_level_rules(
      " info , net.http=Debug,storage.cc=off,db/storage.cc:120=0,src/a=warning,retry*=fatal,\"a, b=c\"=3,net=inherit,"
      "RESET,sink:console=error,sink:app.log=inherit,sink:7=debug");
  EXPECT_EQ(read.problems, std::vector<std::string>());
  struct Expected {
    Of of;
    const char* name;
    std::uint32_t line;
    int level;
  };
  const std::vector<Expected> expected = {
      {Of::kDefault, "", 0, 2},        {Of::kLogger, "net.http", 0, 1},
      {Of::kFile, "storage.cc", 0, 7}, {Of::kLine, "db/storage.cc", 120, 0},
      {Of::kFile, "src/a", 0, 4},      {Of::kText, "retry*", 0, 6},
      {Of::kText, "a, b=c", 0, 3},     {Of::kLogger, "net", 0, -1},
      {Of::kReset, "", 0, -1},         {Of::kSink, "console", 0, 5},
      {Of::kSink, "app.log", 0, -1},   {Of::kLine, "sink", 7, 1},
  };
  ASSERT_EQ(read.rules.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const LevelRule& rule = read.rules[i];
    EXPECT_EQ(rule.of, expected[i].of) << i;
    EXPECT_EQ(rule.name, expected[i].name) << i;
    EXPECT_EQ(rule.line, expected[i].line) << i;
    EXPECT_EQ(rule.level.has_value() ? static_cast<int>(*rule.level) : -1, expected[i].level) << i;
  }
}

TEST(LevelRules, AWrongOneSaysWhichAndTheOthersHold) {
  const struct {
    const char* text;
    const char* problem;
    std::size_t rules;
  } cases[] = {
      {"loud", "rule 1, 'loud', is not a level", 0},
      {"debug,net=loud,a=warn", "rule 2, 'net=loud', has 'loud', which is not a level", 2},
      {"=debug", "has nothing before '='", 0},
      {"sink:=debug", "names no sink", 0},
      {"a.cc:0=debug", "has line 0", 0},
      {"\"\"=debug", "empty", 0},
      {"\"abc=debug,info", "lacks its closing quote", 0},
      {"net=", "has '', which is not a level", 0},
      {"\x01\n\x7f=\x02", "'?", 0},
  };
  for (const auto& c : cases) {
    const LevelRules read = parse_level_rules(c.text);
    ASSERT_EQ(read.problems.size(), 1u) << c.text;
    EXPECT_NE(read.problems[0].find(c.problem), std::string::npos) << read.problems[0];
    EXPECT_EQ(read.rules.size(), c.rules) << c.text;
  }
}

TEST(LevelRules, WhateverTheTextIsTheWorkIsBounded) {
  EXPECT_EQ(parse_level_rules(std::string(kMostRuleText + 1, ',')).problems.size(), 1u);
  const LevelRules many = parse_level_rules(std::string(kMostRuleText, 'x'));
  EXPECT_EQ(many.problems.size(), 1u);
  EXPECT_LT(many.problems[0].size(), 300u);
  std::string rules;
  for (int i = 0; i < 5000; ++i) rules += "a=1,";
  EXPECT_EQ(parse_level_rules(rules).rules.size(), kMostRules);
  EXPECT_EQ(parse_level_rules(rules).problems.size(), 10u);

  std::mt19937 random(7);
  const std::string letters = "a.:=,\"\\*0 9/\ninherit";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = random() % 20 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
    const LevelRules read = parse_level_rules(text);
    for (const LevelRule& rule : read.rules) {
      if (!rule.is_of_statements()) continue;
      EXPECT_FALSE(rule.name.empty()) << text;
      (void)level_of_statement({rule}, text, 9, text);
    }
  }
}

TEST(LevelRules, OfTheRulesAboutAStatementOneCounts) {
  const auto level = [](const char* rules, const char* file, std::uint32_t line, const char* format) {
    const auto found = level_of_statement(parse_level_rules(rules).rules, file, line, format);
    return found.has_value() ? static_cast<int>(*found) : -1;
  };
  EXPECT_EQ(level("", "src/a.cc", 1, "x"), -1);
  EXPECT_EQ(level("a.cc=2", "src/a.cc", 1, "x"), 2);
  EXPECT_EQ(level("a.cc=2", "src/ba.cc", 1, "x"), -1);
  EXPECT_EQ(level("src/a.cc=2,a.cc=3", "/home/src/a.cc", 1, "x"), 3);
  EXPECT_EQ(level("a.cc:1=1,a.cc=7", "src/a.cc", 1, "x"), 1);
  EXPECT_EQ(level("a.cc:1=1,a.cc=7", "src/a.cc", 2, "x"), 7);
  EXPECT_EQ(level("a.cc:1=1,x*=2", "src/a.cc", 1, "x {}"), 2);
  EXPECT_EQ(level("x*=2,a.cc:1=1", "src/a.cc", 1, "x {}"), 1);
  EXPECT_EQ(level("\"x {}\"=0", "src/a.cc", 1, "x {}"), 0);
}

TEST(LevelRules, TargetsOfACommandBecomeRules) {
  EXPECT_EQ(statement_rule("storage.cc:88", "off"), "storage.cc:88=off");
  EXPECT_EQ(statement_rule("storage.cc", "off"), "storage.cc=off");
  EXPECT_EQ(statement_rule("retry*", "trace"), "\"retry*\"=trace");
  for (const char* text : {"say \"{}\", twice=", "a,b", "net.http", "100 % = \\* all"}) {
    const LevelRules read = parse_level_rules(statement_rule(text, "warn"));
    ASSERT_EQ(read.rules.size(), 1u) << text;
    ASSERT_EQ(read.rules[0].of, Of::kText) << text;
  }
  EXPECT_TRUE(matches_pattern("say \"{}\"", parse_level_rules(statement_rule("say \"{}\"", "warn")).rules[0].name));
}

TEST(NameMatch, Patterns) {
  const struct {
    const char* text;
    const char* pattern;
    bool matches;
  } cases[] = {
      {"retry {}", "retry*", true},
      {"no retry", "retry*", false},
      {"retry", "retry*", true},
      {"abc", "abc", true},
      {"abcd", "abc", false},
      {"", "", true},
      {"", "*", true},
      {"a*b", "a\\*b", true},
      {"axb", "a\\*b", false},
      {"aXbXc", "a*b*c", true},
      {"aXbX", "a*b*c", false},
      {"aab", "*ab", true},
      {"mississippi", "m*iss*p*i", true},
      {"a\\", "a\\", true},
  };
  for (const auto& c : cases) EXPECT_EQ(matches_pattern(c.text, c.pattern), c.matches) << c.text << " " << c.pattern;
  EXPECT_FALSE(matches_pattern(std::string(100'000, 'a'), "*a*a*a*a*a*a*a*b"));  // at once
}

TEST(NameMatch, Loggers) {
  EXPECT_TRUE(is_under("net.http", "net"));
  EXPECT_TRUE(is_under("net", "net"));
  EXPECT_FALSE(is_under("network", "net"));
  EXPECT_TRUE(is_under("network", "net*"));
}

}  // namespace
}  // namespace steno
