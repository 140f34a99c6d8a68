// Patterns that are too much for an automaton: what the automaton of their necessary texts rules out does not match.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "../random_cases.h"
#include "query/search/necessary_texts.h"
#include "query/search/pattern.h"

namespace steno::query {
namespace {

using End = Automaton::End;

std::vector<std::string> texts_of(const std::string& expression, bool ignore_case = false) {
  re2::RE2::Options options;
  options.set_case_sensitive(!ignore_case);
  return necessary_texts(expression, options);
}

std::shared_ptr<const Pattern> make(const std::string& text, PatternKind kind = PatternKind::kRegex,
                                    bool ignore_case = false) {
  auto pattern = Pattern::make(text, kind, ignore_case);
  EXPECT_TRUE(pattern.ok()) << text;
  return pattern.ok() ? *pattern : nullptr;
}

End end_of(const Pattern& pattern, const std::string& text) {
  const Automaton& automaton = *pattern.automaton();
  return automaton.end(automaton.run(automaton.start(), text));
}

using Texts = std::vector<std::string>;

TEST(NecessaryTexts, AreTheLongestAndFew) {
  EXPECT_EQ(texts_of("\\btime\\b.*\\bconnection\\b"), Texts{"connection"});
  EXPECT_EQ(texts_of("(?:time|speed)out\\b"), (Texts{"timeout", "speedout"}));
  EXPECT_EQ(texts_of("ab(?:xyz|)cd\\b.*q"), (Texts{"abcd", "abxyzcd"}));
  EXPECT_EQ(texts_of("\\bx\\b"), Texts{});
  EXPECT_EQ(texts_of("(?:some|)\\b"), Texts{});
}

// U+017F and U+212A are an 's' and a 'k' to a search that ignores case.
TEST(NecessaryTexts, OfLettersThatFoldBeyondAscii) {
  EXPECT_EQ(texts_of("kiosk error", true), Texts{" error"});
  EXPECT_EQ(texts_of("(?i)\\bkiosk error"), Texts{" error"});
  EXPECT_EQ(texts_of("skis", true), Texts{});
  const auto pattern = make("\\bkelvin", PatternKind::kRegex, true);
  ASSERT_NE(pattern->automaton(), nullptr);
  const std::string kelvin =
      "a \xE2\x84\xAA"
      "elvin";
  EXPECT_TRUE(pattern->matches("a Kelvin"));
  EXPECT_FALSE(pattern->matches(kelvin) && end_of(*pattern, kelvin) == End::kNoMatch);
}

// Whatever the pattern matches, its automaton does not rule out.
TEST(NecessaryTexts, RuleOutNoMatch) {
  const Texts kExpressions = {
      "\\btimeout\\b",
      "\\b(?:warn|error)\\b.*\\b[0-9]+ms\\b",
      "(?i)ERROR:? .*failed",
      "(?i)\\bkiosk\\b",
      "(?s)begin.*end",
      "(?m)^error",
      "\\Aerror|failed\\z",
      "(?:alpha|beta|gamma|delta)+\\b",
      "\\p{Lu}[a-z]+ failed",
      "[[:alpha:]]+ error \\b",
      "x{2,30}(?:error|failed){3,9}y{2,40}",
      "(?:(?:error|warn) ){0,40}failed in [a-z]{1,90}\\b",
      "error(?:\\b| failed)",
      "\\Berror",
      "ms\\b|error",
      "(a|b|c)error\\b",
      "ünder .*error\\b",
  };
  const Texts kWords = {"error",
                        "ERROR",
                        "failed",
                        "timeout",
                        "warn",
                        "12ms",
                        " ",
                        " ",
                        ": ",
                        "alpha",
                        "beta",
                        "x",
                        "xx",
                        "yy",
                        "begin",
                        "end",
                        "\n",
                        "Kiosk",
                        "\xE2\x84\xAAiosk",
                        "ünder",
                        "Error",
                        "in ",
                        "abc",
                        "a",
                        "b"};
  std::mt19937_64 random(11);
  std::size_t matched = 0;
  std::size_t expressions = 0;
  for (const std::string& expression : kExpressions) {
    for (const bool ignore_case : {false, true}) {
      const auto pattern = make(expression, PatternKind::kRegex, ignore_case);
      if (pattern->automaton() == nullptr) continue;
      std::size_t matches = 0;
      std::size_t ruled_out = 0;
      for (int round = 0; round < 4'000; ++round) {
        std::string text;
        for (std::size_t n = random() % 9; n != 0; --n) text += kWords[random() % kWords.size()];
        const End end = end_of(*pattern, text);
        const bool is_match = pattern->matches(text);
        matches += is_match ? 1 : 0;
        ruled_out += end == End::kNoMatch ? 1 : 0;
        ASSERT_FALSE(is_match && end == End::kNoMatch) << expression << " in " << text;
        ASSERT_FALSE(!is_match && end == End::kMatch) << expression << " in " << text;
      }
      EXPECT_GT(ruled_out, 100u) << expression;
      ++expressions;
      matched += matches != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(expressions, 20u);
  EXPECT_GT(matched, expressions * 2 / 3);
}

TEST(NecessaryTexts, OfManyAlternatives) {
  std::string expression = "\\b(?:";
  Texts words;
  for (int i = 0; i < 90; ++i) {
    words.push_back("word" + std::to_string(i * 7919) + "tail");
    expression += (i == 0 ? "" : "|") + words.back();
  }
  const auto pattern = make(expression + ")\\b");
  ASSERT_NE(pattern->automaton(), nullptr);
  for (const std::string& word : words) EXPECT_EQ(end_of(*pattern, "a " + word + " b"), End::kUnknown);
  EXPECT_EQ(end_of(*pattern, "nothing of this"), End::kNoMatch);
}

TEST(LongLiterals, AreFoundByTheirBeginning) {
  std::mt19937_64 random(3);
  for (std::size_t size = 150; size <= 2'000; size += 1 + size / 40) {
    std::string literal;
    while (literal.size() < size) literal += static_cast<char>('a' + random() % 3);
    for (const PatternKind kind : {PatternKind::kContains, PatternKind::kEquals, PatternKind::kRegex}) {
      const auto pattern = make(literal, kind);
      ASSERT_NE(pattern->automaton(), nullptr) << size;
      const bool whole = kind == PatternKind::kEquals;
      EXPECT_NE(end_of(*pattern, literal), End::kNoMatch) << size;
      EXPECT_TRUE(pattern->matches(literal));
      for (const std::string& text :
           {"x" + literal, literal + "x", literal.substr(1), "aab" + literal.substr(0, size - 1)}) {
        EXPECT_EQ(pattern->matches(text), !whole && text.find(literal) != std::string::npos) << size;
        EXPECT_FALSE(pattern->matches(text) && end_of(*pattern, text) == End::kNoMatch) << size;
        EXPECT_FALSE(!pattern->matches(text) && end_of(*pattern, text) == End::kMatch) << size;
      }
      EXPECT_EQ(end_of(*pattern, std::string(3'000, 'z')), End::kNoMatch);
    }
  }
}

}  // namespace
}  // namespace steno::query
