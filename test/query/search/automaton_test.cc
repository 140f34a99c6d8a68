// Automata agree with RE2, however a text comes, and what they say of pieces that are not known has what is.
#include "query/search/automaton.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "../sanitizers.h"
#include "query/search/pattern.h"
#include "random_pattern.h"

namespace steno::query {
namespace {

using Rng = std::mt19937_64;

std::string random_text(Rng& rng) {
  static constexpr const char* kWords[] = {"user:", "GET ", "/api/v2",  "timed out", "-",  "00ff", "a1b2",
                                           " ",     "MISS", "x",        "yz",        "\n", "K",    "s",
                                           "42",    "7087", "\xC3\xA9", "\xFF",      "0",  "true"};
  std::string text;
  for (std::size_t n = rng() % 6; n-- > 0;) {
    text += rng() % 4 == 0 ? std::to_string(rng() % 100'000) : kWords[rng() % std::size(kWords)];
  }
  return text;
}

void expect_end(const Pattern& pattern, const std::string& spelt, const std::string& text, std::size_t* unknown) {
  const Automaton& automaton = *pattern.automaton();
  const Automaton::End end = automaton.end(automaton.run(automaton.start(), text));
  if (end == Automaton::End::kUnknown) {
    ++*unknown;
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    EXPECT_FALSE(std::all_of(text.begin(), text.end(), is_ascii)) << spelt << " in '" << text << "'";
    return;
  }
  EXPECT_EQ(end == Automaton::End::kMatch, pattern.matches(text)) << spelt << " in '" << text << "'";
}

TEST(Automaton, AgreesWithRe2) {
  constexpr int kRounds = test::sampled(4'000);
  Rng rng(1);
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) texts.push_back(random_text(rng));
  std::size_t has_one = 0;
  std::size_t unknown = 0;
  for (int round = 0; round < kRounds; ++round) {
    test::RandomPattern random(rng, texts);
    const bool ignore_case = rng() % 4 == 0;
    std::string spelt = random.regex();
    if (rng() % 16 == 0) spelt = "(?i)" + spelt;
    auto pattern = Pattern::make(spelt, PatternKind::kRegex, ignore_case);
    if (!pattern.ok() || Automaton::of_regex(spelt, ignore_case) == nullptr) continue;
    ++has_one;
    for (const std::string& text : texts) expect_end(**pattern, spelt, text, &unknown);
  }
  EXPECT_GT(has_one, kRounds * 5u / 8);
  EXPECT_GT(unknown, 0u);
}

TEST(Automaton, EdgesOfTheGrammar) {
  const std::vector<std::string> texts = {"",    "a", "b", "ab",   "ba", "aab", "a-b", "]",    "[",
                                          "a]b", "^", "$", "a\nb", "A",  "-",   "{",   "a{2}", "aa"};
  std::size_t unknown = 0;
  for (const char* spelt : {"^",         "$",       "^$",    "$^",     "^a",          "a$",     "^a$",    "a|",
                            "|",         "()",      "a**",   "a{0}",   "a{2}",        "a{1,}b", "(a|b)*", "(a*)*b",
                            "[]a]",      "[^]a]",   "[a-]",  "[-a]",   "[\\]a]",      "(^a|b)", "(a|b$)", "(^|a)b",
                            "(a|$)^",    "a.b",     "a\\.b", "(?i)ab", "[[:alpha:]]", "\\ba",   "\\x41",  "a{,2}",
                            "(a$|b)(^)", "(?:^a)+", "^^a",   "a$$",    "[a-b-]",      "\\{",    "[\\-]",  "(a?){3}b"}) {
    auto pattern = Pattern::make(spelt, PatternKind::kRegex, false);
    if (!pattern.ok() || (*pattern)->automaton() == nullptr) continue;
    for (const std::string& text : texts) expect_end(**pattern, spelt, text, &unknown);
  }
  EXPECT_EQ(unknown, 0u);
}

TEST(Automaton, ClosingBracketsAndBracesAreCharacters) {
  const std::vector<std::string> texts = {"", "]", "}", "a]", "]b", "a]b", "a}b", "]]", "a}}", "] }", "[a]", "b"};
  std::size_t unknown = 0;
  for (const char* spelt :
       {"]", "}", "a]", "] }", "^]", "]$", "a]|}", "]{2}", "}+$", "[a]]", "(]|b)}?", "a.]*", "a]b"}) {
    auto pattern = Pattern::make(spelt, PatternKind::kRegex, false);
    ASSERT_TRUE(pattern.ok() && (*pattern)->automaton() != nullptr) << spelt;
    const re2::RE2 re2(spelt);
    for (const std::string& text : texts) {
      expect_end(**pattern, spelt, text, &unknown);
      EXPECT_EQ((*pattern)->matches(text), re2::RE2::PartialMatch(text, re2)) << spelt << " in '" << text << "'";
    }
  }
  EXPECT_EQ(unknown, 0u);
}

TEST(Automaton, LiteralsOfAnyBytes) {
  Rng rng(2);
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::size_t n = rng() % 12; n-- > 0;) text += "ab\xC3\xFF\0"[rng() % 5];
    std::string needle;
    for (std::size_t n = rng() % 4; n-- > 0;) needle += "ab\xC3\xFF\0"[rng() % 5];
    std::size_t unknown = 0;
    for (const PatternKind kind : {PatternKind::kContains, PatternKind::kEquals}) {
      auto pattern = Pattern::make(needle, kind, false);
      ASSERT_TRUE(pattern.ok() && (*pattern)->automaton() != nullptr);
      expect_end(**pattern, needle, text, &unknown);
    }
    EXPECT_EQ(unknown, 0u);
  }
}

TEST(Automaton, GivesUpWhatIsTooLarge) {
  EXPECT_EQ(Automaton::of_text(std::string(1'000, 'a'), false), nullptr);
  EXPECT_EQ(Automaton::of_regex("(a|b)*a(a|b){12}", false), nullptr);
  EXPECT_EQ(Automaton::of_regex("((a{100}){100}){100}", false), nullptr);
  EXPECT_NE(Automaton::of_regex("[0-9]{8}", false), nullptr);
}

// Numbers by their tables, and what is said of any number.
TEST(Automaton, NumbersLeadWhereTheirTextDoes) {
  Rng rng(3);
  const std::vector<std::string> texts = {"0123456789", "00ff00ff", "FFEE00", "7087", "123", "a0", "12-ab"};
  std::size_t found = 0;
  for (int round = 0; round < test::sampled(1'500); ++round) {
    test::RandomPattern random(rng, texts);
    const auto automaton = rng() % 2 == 0 ? Automaton::of_text(random.literal(), false)
                                          : Automaton::of_regex(random.regex(), rng() % 2 == 0);
    if (automaton == nullptr) continue;
    for (int k = 0; k < 40; ++k) {
      const std::uint64_t value = rng() >> rng() % 64;
      const auto width = 1 + static_cast<unsigned>(rng() % 16);
      const auto from = static_cast<Automaton::State>(rng() % automaton->states());
      char text[64];
      const auto expect = [&](Automaton::State state, const Automaton::Alphabet& alphabet) {
        ASSERT_EQ(state, automaton->run(from, text)) << text;
        ASSERT_TRUE(automaton->reach(from, alphabet).has(state)) << text;
        ASSERT_TRUE(automaton->reach(from, automaton->anything()).has(state)) << text;
        found += state == Automaton::kFound && from != Automaton::kFound;
      };
      std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
      expect(automaton->run_decimal(from, value), automaton->decimal_digits());
      std::snprintf(text, sizeof text, "%0*llu", static_cast<int>(width), static_cast<unsigned long long>(value));
      expect(automaton->run_decimal(from, value, width), automaton->decimal_digits());
      std::snprintf(text, sizeof text, "%0*llx", static_cast<int>(width), static_cast<unsigned long long>(value));
      expect(automaton->run_hex(from, value, width, false), automaton->lower_digits());
      std::snprintf(text, sizeof text, "%0*llX", static_cast<int>(width), static_cast<unsigned long long>(value));
      expect(automaton->run_hex(from, value, width, true), automaton->upper_digits());
    }
  }
  EXPECT_GT(found, 1'000u);
}

}  // namespace
}  // namespace steno::query
