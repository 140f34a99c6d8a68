// Word strings (file.md §9.6.1), and how sentences are cut for them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "format/strings/words/read.h"
#include "format/strings/words/tokens.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

using Tokens = std::vector<std::pair<std::string, bool>>;

Tokens tokens_of(const std::string& text) {
  Tokens tokens;
  for_each_token(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                 [&](const std::uint8_t* p, std::size_t n, bool word) {
                   EXPECT_EQ(is_word(p, n), word);
                   tokens.emplace_back(std::string(reinterpret_cast<const char*>(p), n), word);
                   return true;
                 });
  return tokens;
}

std::string spelled_tokens(const std::string& text) {
  std::string all;
  for (const auto& [token, word] : tokens_of(text)) all += word ? "<" + token + ">" : "[" + token + "]";
  return all;
}

TEST(TextTokens, AreWordsAndMarks) {
  EXPECT_EQ(spelled_tokens(""), "");
  EXPECT_EQ(spelled_tokens(" "), "[ ]");
  EXPECT_EQ(spelled_tokens("a"), "<a>");
  EXPECT_EQ(spelled_tokens("no such file"), "<no><such><file>");
  EXPECT_EQ(spelled_tokens(" no  such file "), "[ ]<no>[  ]<such><file>[ ]");
  EXPECT_EQ(spelled_tokens("failed: 10.0.0.3:80, don't (a/b.c)."),
            "<failed>[: ]<10.0.0.3:80>[, ]<don't>[ (]<a/b.c>[).]");
  EXPECT_EQ(spelled_tokens("key=value;\"x\""), "<key>[=]<value>[;\"]<x>[\"]");
  EXPECT_EQ(spelled_tokens("na\xC3\xAFve..."), "<na\xC3\xAFve>[...]");
  EXPECT_EQ(spelled_tokens("..a.-b"), "[..]<a.-b>");
}

TEST(TextTokens, AreWhatTheTextIs) {
  Rng rng(1);
  for (int i = 0; i < test::random_cases(20'000); ++i) {
    std::string text(rng() % 40, '\0');
    for (char& c : text) c = "ab9_  .,-:'\xC3(\n"[rng() % 14];
    std::string again;
    bool after_word = false;
    for (const auto& [token, word] : tokens_of(text)) {
      if (after_word && word) again += ' ';
      again += token;
      after_word = word;
    }
    ASSERT_EQ(again, text);
  }
}

class Prose {
 public:
  explicit Prose(std::uint64_t seed) : rng_(seed) {
    for (int i = 0; i < 500; ++i) words_.push_back(text(rng_, 2, 9));
  }
  std::string sentence() {
    std::string s = word();
    for (std::size_t k = 4 + rng_() % 20; k > 0; --k) s += (rng_() % 8 == 0 ? ", " : " ") + word();
    return s + ".!"[rng_() % 2];
  }
  Strings sentences(std::size_t n) {
    Strings all;
    while (all.size() < n) all.emplace_back(sentence());
    return all;
  }
  std::string word() { return words_[rng_() % words_.size() * (rng_() % words_.size()) % words_.size()]; }
  Rng& rng() { return rng_; }

 private:
  Rng rng_;
  std::vector<std::string> words_;
};

TEST(WordStrings, AreChosenForSentences) {
  Prose prose(2);
  Columns columns;
  for (int block = 0; block < 3; ++block) {
    const Strings sentences = prose.sentences(3000);
    const auto column = columns.pass(sentences);
    ASSERT_EQ(codec_of(column), CodecId::kWordStrings) << block;
    ASSERT_LT(column.size() * 4, bytes_of(sentences)) << block;
  }
}

TEST(WordStrings, AreNotForOtherTexts) {
  for (const Distribution& distribution : kDistributions) {
    const std::string name = distribution.name;
    if (name == "sentences") continue;
    EXPECT_NE(codec_of(Columns().pass(make(distribution, 3000))), CodecId::kWordStrings) << name;
  }
}

TEST(WordStrings, HoldNullsEmptyOnesAndAnyBytes) {
  Prose prose(3);
  Strings strings = prose.sentences(4000);
  for (std::size_t i = 0; i < strings.size(); i += 7) {
    disturb(&strings[i], prose.rng(), 3, [&](std::string& s, std::size_t k) {
      if (k == 0) s = "  " + s + "  ";
      if (k == 1) s += std::string(1, '\0') + "\xFF\xFE\n" + std::to_string(prose.rng()());
      if (k == 2) s += " " + text(prose.rng(), 20, 200);
    });
  }
  EXPECT_EQ(codec_of(Columns().pass(strings)), CodecId::kWordStrings);
}

// Words that are all different, and marks that are: no larger than by other codecs.
TEST(WordStrings, SurviveSentencesThatDefeatThem) {
  Prose prose(4);
  const std::pair<const char*, std::function<std::string(std::size_t)>> cases[] = {
      {"all words differ", [&](std::size_t i) { return i < 200 ? prose.sentence() : text(prose.rng(), 20, 90); }},
      {"all marks differ",
       [&](std::size_t) {
         std::string s;
         for (int k = 0; k < 12; ++k) s += "a" + std::string(1 + prose.rng()() % 3, "!?#$%&*+-/<>"[prose.rng()() % 12]);
         return s;
       }},
      {"one byte each", [&](std::size_t) { return std::string(4000, 'a'); }},
      {"nothing but marks",
       [&](std::size_t) { return std::string(17 + prose.rng()() % 90, ".,;"[prose.rng()() % 3]); }},
      {"a token a byte", [&](std::size_t) {
         std::string s;
         for (int k = 0; k < 300; ++k) s += k % 2 == 0 ? 'a' : ',';
         return s + std::to_string(prose.rng()() % 10);
       }}};
  for (const auto& [name, make_line] : cases) {
    Strings lines;
    for (std::size_t i = 0; i < 4000; ++i) lines.emplace_back(make_line(i));
    Columns columns;
    for (int block = 0; block < 2; ++block) {
      EXPECT_LT(columns.pass(lines).size(), bytes_of(lines) + lines.size() * 2 + 100) << name;
    }
  }
}

// Any damage is told, or leads to other strings, in bounded memory.
TEST(WordStrings, SurviveDamage) {
  Prose prose(5);
  const Strings sentences = prose.sentences(1500);
  const auto column = Columns().pass(sentences);
  ASSERT_EQ(codec_of(column), CodecId::kWordStrings);
  expect_damage_told(column, sentences.size(), 40, test::random_cases(1'000), prose.rng());
}

// A column by hand: strings of so many tokens, all of them the same.
struct WordsByHand {
  std::uint64_t distinct = 1;
  std::vector<std::uint8_t> words = constant_string("ab");
  std::uint64_t tokens = 2;
  std::uint64_t token = 1;
  std::uint64_t longest = 1u << 20;
  std::uint64_t other_count = 0;
  std::vector<std::uint8_t> others = {};

  std::optional<Strings> decode(std::size_t n) const {
    ByteBuffer column;
    column.put(static_cast<std::uint8_t>(CodecId::kWordStrings));
    column.put_varint(longest);
    column.put_varint(distinct);
    put_part(words, &column);
    put_part(constant_number(tokens + 1), &column);
    put_part(tokens != 0 ? constant_number(token) : std::vector<std::uint8_t>(), &column);
    column.put_varint(other_count);
    put_part(others, &column);
    Strings decoded;
    if (!decode_in_all_ways({column.data(), column.size()}, n, {}, &decoded)) return std::nullopt;
    return decoded;
  }
};

TEST(WordStrings, AreWhatTheirTokensSay) {
  EXPECT_EQ(WordsByHand().decode(2), (Strings{"ab ab", "ab ab"}));
  EXPECT_EQ((WordsByHand{.words = constant_string(", ")}).decode(1), Strings{", , "});
  EXPECT_EQ((WordsByHand{.words = constant_string("")}).decode(1), Strings{""});
  EXPECT_EQ((WordsByHand{.tokens = 0}).decode(1), Strings{""});
  const WordsByHand other{.distinct = 0, .words = {}, .token = 0, .other_count = 2, .others = constant_string("?")};
  EXPECT_EQ(other.decode(1), Strings{"? ?"}) << "the others are words";
}

TEST(WordStrings, HaveLimits) {
  EXPECT_TRUE((WordsByHand{.longest = 5}).decode(10));
  EXPECT_FALSE((WordsByHand{.longest = 4}).decode(10));
  EXPECT_FALSE((WordsByHand{.token = 2}).decode(10));
  EXPECT_FALSE((WordsByHand{.token = 0}).decode(10));
  EXPECT_FALSE((WordsByHand{.other_count = 1, .others = constant_string("x")}).decode(10));
  EXPECT_FALSE((WordsByHand{.distinct = 0}).decode(10));
  EXPECT_TRUE((WordsByHand{.distinct = kMaxWords}).decode(10));
  EXPECT_FALSE((WordsByHand{.distinct = kMaxWords + 1}).decode(10));
  const auto long_word = [](std::size_t size) { return constant_string(std::string(size, 'x')); };
  EXPECT_TRUE((WordsByHand{.distinct = kMaxWords, .words = long_word(kMaxWordBytes / kMaxWords)}).decode(10));
  EXPECT_FALSE((WordsByHand{.distinct = kMaxWords, .words = long_word(kMaxWordBytes / kMaxWords + 1)}).decode(10));
}

TEST(WordStrings, ClaimsTakeNoMemory) {
  EXPECT_FALSE((WordsByHand{.tokens = std::uint64_t{1} << 31}).decode(1 << 20));
  EXPECT_FALSE((WordsByHand{.words = constant_string(std::string(1 << 20, 'x')), .tokens = 1}).decode(1 << 20));
  EXPECT_FALSE((WordsByHand{.distinct = 0,
                            .words = {},
                            .tokens = 1,
                            .token = 0,
                            .other_count = 1 << 20,
                            .others = constant_string(std::string(1 << 20, 'x'))})
                   .decode(1 << 20));
}

TEST(WordStrings, HoldNoneOfTheirOwn) {
  for (const CodecId codec : {CodecId::kWordStrings, CodecId::kTemplateStrings, CodecId::kSharedStrings}) {
    EXPECT_FALSE((WordsByHand{.words = {static_cast<std::uint8_t>(codec), 1, 0, 0, 0, 0}}).decode(10));
  }
}

}  // namespace
}  // namespace steno::format
