// Template strings (file.md §9.6), and how lines are cut into words for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "format/multiversion.h"
#include "format/strings/templates/cut.h"
#include "format/strings/templates/find.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

bool is_separator(char c) {
  return static_cast<unsigned char>(c) <= ' ' ||
         std::string_view("\"&'(),;<=>?[]`{|}").find(c) != std::string_view::npos;
}

// The words of a text.
std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !is_separator(text[at])) ++at;
    if (at == begin) {
      ++at;
      continue;
    }
    const bool numbered = text.substr(begin, at - begin).find_first_of("/0123456789") != std::string::npos;
    std::size_t field = begin;
    if (numbered) {
      while (field > 0 && text[field - 1] == ' ') --field;
      if (field != 0 && field != begin) ++field;
    }
    words.push_back(
        {static_cast<std::uint16_t>(field), static_cast<std::uint16_t>(at & 0x7FFF), std::uint16_t{numbered}});
  }
  return words;
}

TEST(WordCutter, CutsWhatASimpleLoopDoes) {
  Rng rng(3);
  WordCutter cutter;
  for (const Machine machine : {Machine::kAvx512, Machine::kBaseline}) {
    best_machine = machine;
    for (int i = 0; i < test::random_cases(4'000); ++i) {
      std::string text = i % 2 == 0 ? line(rng) : std::string(rng() % 300, '\0');
      if (i % 2 != 0) {
        for (char& c : text) c = "ab9/ =\x80\xFF\"[Z\n"[rng() % 12];
        if (rng() % 4 == 0) std::generate(text.begin(), text.end(), [&] { return static_cast<char>(rng()); });
      }
      const Source source({text});
      const auto expected = words_of(text);
      ASSERT_TRUE(cutter.cut(source.refs[0]));
      ASSERT_EQ(cutter.words().size(), expected.size()) << text;
      for (std::size_t w = 0; w < expected.size(); ++w) {
        ASSERT_EQ(cutter.words()[w].begin, expected[w].begin) << text;
        ASSERT_EQ(cutter.words()[w].end, expected[w].end) << text;
        ASSERT_EQ(cutter.words()[w].numbered, expected[w].numbered) << text;
      }
    }
  }
  best_machine = Machine::kAvx512;
}

TEST(WordCutter, HasLimits) {
  WordCutter cutter;
  const auto cuts = [&](const Strings& strings) { return cutter.cut(Source(strings).refs[0]); };
  EXPECT_FALSE(cuts({std::nullopt}));
  EXPECT_TRUE(cuts({""}));
  EXPECT_TRUE(cutter.words().empty());
  EXPECT_TRUE(cuts({std::string(WordCutter::kLongest, '1')}));
  EXPECT_EQ(cutter.words()[0].end, WordCutter::kLongest);
  EXPECT_FALSE(cuts({std::string(WordCutter::kLongest + 1, '1')}));
  std::string words;
  for (std::size_t w = 0; w < WordCutter::kMostWords; ++w) words += "1 ";
  EXPECT_TRUE(cuts({words}));
  EXPECT_FALSE(WordsOut().choose(cutter.words(), 0));
  EXPECT_TRUE(WordsOut().choose(cutter.words().first(WordsOut::kMost), 0));
  EXPECT_FALSE(cuts({words + "1"}));
}

TEST(WordsOut, HashesWhatIsLeft) {
  const auto hash_of = [&](const std::string& text, WordMask mask = 0) {
    const Source source({text});
    WordCutter cutter;
    WordsOut out;
    EXPECT_TRUE(cutter.cut(source.refs[0]));
    EXPECT_TRUE(out.choose(cutter.words(), mask));
    return out.hash_of_rest(source.refs[0]);
  };
  EXPECT_EQ(hash_of("took 5 ms"), hash_of("took 1234567890 ms"));
  EXPECT_EQ(hash_of("open /a/b: failed"), hash_of("open /usr/lib/x: failed"));
  EXPECT_EQ(hash_of("   5    12345 b"), hash_of("1234 8 b"));
  EXPECT_EQ(hash_of("by root since 5", 2), hash_of("by daemon since 7", 2));
  EXPECT_NE(hash_of("by root since 5", 1), hash_of("by daemon since 7", 1));
  EXPECT_NE(hash_of("took 5 ms"), hash_of("took 5 s"));
  EXPECT_NE(hash_of("took 5 ms"), hash_of("took ms"));
  EXPECT_NE(hash_of("took 5 ms"), hash_of("took 5 6 ms"));
  EXPECT_NE(hash_of("5"), hash_of(""));
  EXPECT_NE(hash_of("a 5 b"), hash_of("a b 5"));
}

std::vector<LineKind> templates_of(const Strings& lines) {
  const Source source(lines);
  TemplateFinder finder;
  finder.find(source.source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (finder.indices()[i] == 0) continue;
    EXPECT_LE(finder.indices()[i], finder.templates().size());
    EXPECT_EQ(finder.words_of(source.source, i).size(),
              finder.words_of_example(source.source, finder.templates()[finder.indices()[i] - 1]).size());
  }
  return finder.templates();
}

TEST(TemplateFinder, FindsWordsThatVary) {
  Rng rng(8);
  Strings names;
  while (names.size() < 300) names.emplace_back(text(rng, 6, 9));
  const auto name = [&] { return *names[rng() % names.size()]; };
  Strings lines;
  for (int i = 0; i < 12'000; ++i) {
    switch (rng() % 4) {
      case 0:
        lines.emplace_back("session opened for user " + name() + " by the daemon");
        break;
      case 1:
        lines.emplace_back(name() + ": " + std::to_string(rng() % 90) + " of " + name() + " are left");
        break;
      case 2:  // the word of a numbered one's place
        lines.emplace_back("from " + (rng() % 2 == 0 ? "10.0.0." + std::to_string(rng() % 99) : name()) + " to here");
        break;
      default:
        lines.emplace_back(rng() % 2 == 0 ? "all is well" : "all is lost");
    }
  }
  const std::vector<LineKind> templates = templates_of(lines);
  ASSERT_EQ(templates.size(), 5u);
  std::uint32_t all = 0;
  for (const LineKind& known : templates) all += known.lines;
  EXPECT_EQ(all, lines.size());
}

TEST(TemplateFinder, LeavesOutLinesThatAreTooLong) {
  const std::string longer(WordCutter::kLongest + 1, 'a');
  EXPECT_TRUE(templates_of(Strings(10, longer)).empty());
  Strings lines(10, longer);
  for (int i = 0; i < 10; ++i) lines.push_back("took " + std::to_string(i));
  EXPECT_EQ(templates_of(lines).size(), 1u);
}

TEST(TemplateFinder, KeepsWordsThatTakeFewForms) {
  Rng rng(9);
  Strings lines;
  const char* const levels[] = {"DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  for (int i = 0; i < 1'000; ++i) lines.emplace_back(std::string(levels[rng() % 5]) + " took " + std::to_string(rng()));
  EXPECT_EQ(templates_of(lines).size(), 5u);
}

TEST(WordCutter, ComparesBytes) {
  Rng rng(4);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::uint8_t> a(8 + rng() % 40);
    for (std::uint8_t& c : a) c = static_cast<std::uint8_t>(rng());
    std::vector<std::uint8_t> b = a;
    b[rng() % 8] ^= 1;  // not of the range
    if (rng() % 2 == 0) b[rng() % b.size()] ^= 1;
    const std::size_t n = a.size() - 8;
    const auto size = static_cast<std::uint32_t>(n);
    ASSERT_EQ(same_string({a.data() + 8, size}, {b.data() + 8, size}), std::memcmp(a.data() + 8, b.data() + 8, n) == 0);
  }
}

Strings some_lines(Rng& rng, std::size_t n) {
  Strings lines;
  while (lines.size() < n) lines.emplace_back(line(rng));
  return lines;
}

TEST(TemplateStrings, AreChosenForLines) {
  Rng rng(5);
  Columns columns;
  for (int block = 0; block < 5; ++block) {
    const Strings lines = some_lines(rng, 3000);
    const std::vector<std::uint8_t> column = columns.pass(lines);
    ASSERT_EQ(codec_of(column), CodecId::kTemplateStrings) << block;
    ASSERT_LT(column.size() * 6, bytes_of(lines)) << block;
  }
}

TEST(TemplateStrings, AreLeftOutWhenTimeIsShort) {
  Rng rng(5);
  Columns columns;
  ASSERT_EQ(codec_of(columns.pass(some_lines(rng, 3000))), CodecId::kTemplateStrings);
  columns.context().quick = true;
  EXPECT_EQ(codec_of(columns.pass(some_lines(rng, 3000))), CodecId::kStrings);
  EXPECT_TRUE(columns.context().memory->left_out);
  columns.context().quick = false;
  EXPECT_EQ(codec_of(columns.pass(some_lines(rng, 3000))), CodecId::kTemplateStrings);
}

TEST(TemplateStrings, AreNotForOtherTexts) {
  for (const char* name : {"varying", "any_bytes", "padded_keys", "tokens", "paths", "long"}) {
    for (const Distribution& distribution : kDistributions) {
      if (std::string(distribution.name) != name) continue;
      EXPECT_NE(codec_of(Columns().pass(make(distribution, 3000))), CodecId::kTemplateStrings) << name;
    }
  }
}

// Short ones are copied otherwise than long ones; words of one shape otherwise than words of several.
TEST(TemplateStrings, HaveWordsAndTextsOfAnySize) {
  Rng rng(6);
  for (const std::size_t longest : {15, 16, 17, 64, 65}) {
    Strings lines;
    for (std::size_t i = 0; i < 4000; ++i) {
      const std::string same = std::string(longest, 'x') + char('a' + i % 20) + char('a' + i % 60 / 20);
      const std::string digits = std::to_string(rng()) + std::string(rng() % longest, '7');
      const std::string key =
          i % 3 != 0 ? "k-" + std::to_string(rng() % 100) : "/" + std::to_string(rng() % 1000) + "/z";
      lines.emplace_back(same + " got " + digits + " by " + key + " in " + std::to_string(rng() % 10'000) + " ms");
    }
    const std::vector<std::uint8_t> column = Columns().pass(lines);
    ASSERT_EQ(codec_of(column), CodecId::kTemplateStrings) << longest;
  }
}

// Lines that have nothing in common, too many templates, and templates that come too seldom: no worse than before, and
// all of it comes back.
TEST(TemplateStrings, SurviveLinesThatDefeatThem) {
  Rng rng(7);
  const std::pair<const char*, std::function<std::string(std::size_t)>> cases[] = {
      {"each a template of its own", [&](std::size_t) { return text(rng, 30, 60) + " 5 " + text(rng, 3, 9); }},
      {"many templates, four of each",
       [&](std::size_t i) { return "statement " + std::string(1 + i / 4 % 900, 'x') + " 5"; }},
      {"any word in any place",
       [&](std::size_t) {
         std::string s;
         for (int k = 0; k < 70; ++k) s += text(rng, 1, 2) + " ";
         return s;
       }},
      {"nothing but words",
       [&](std::size_t) {
         std::string s;
         for (int k = 0; k < 300; ++k) s += std::to_string(rng() % 10) + " ";
         return s;
       }},
      {"nothing but separators", [&](std::size_t) { return std::string(1 + rng() % 90, " =[\n"[rng() % 4]); }},
      {"words at the very ends",
       [&](std::size_t) { return std::to_string(rng()) + " and so on until " + std::to_string(rng()); }},
      {"long", [&](std::size_t i) { return line(rng) + std::string(i % 700 == 0 ? 70'000 : 0, 'y'); }}};
  for (const auto& [name, make_line] : cases) {
    Strings lines;
    for (std::size_t i = 0; i < 4000; ++i) lines.emplace_back(make_line(i));
    Columns columns;
    for (int block = 0; block < 2; ++block) {
      const std::vector<std::uint8_t> column = columns.pass(lines);
      EXPECT_LT(column.size(), bytes_of(lines) + lines.size() * 2 + 100) << name;
    }
  }
}

TEST(TemplateStrings, SeldomWordsAreNoTexts) {
  Rng rng(8);
  Strings lines;
  for (int i = 0; i < 4000; ++i) lines.emplace_back("session opened for user " + text(rng, 6, 9) + " by the daemon");
  const std::vector<std::uint8_t> column = Columns().pass(lines);
  EXPECT_LT(column.size(), lines.size() * 7);
}

// Any damage is told, or leads to other strings, in bounded memory.
TEST(TemplateStrings, SurviveDamage) {
  Rng rng(9);
  const Strings lines = some_lines(rng, 1200);
  const std::vector<std::uint8_t> column = Columns().pass(lines);
  ASSERT_EQ(codec_of(column), CodecId::kTemplateStrings);
  const int cases = test::random_cases(1'000);
  EXPECT_GT(damage_told(column, lines.size(), 60, cases, rng), cases / 4);
  Strings decoded;
  EXPECT_FALSE(decode_in_all_ways(column, lines.size() + 1, {}, &decoded));
  EXPECT_FALSE(decode_in_all_ways(column, lines.size() - 1, {}, &decoded));
}

// A column by hand: n strings of one template of so many words, all of them "a", between texts that are all the same.
struct ByHand {
  std::uint64_t words = 1;
  std::string text = "x";
  std::uint64_t lines = 1000;
  std::uint64_t longest = 1u << 20;
  std::uint64_t place = 0;
  std::uint64_t index = 1;
  std::vector<std::uint8_t> word = constant_string("a");

  bool decodes(std::size_t n) const {
    ByteBuffer column;
    column.put(static_cast<std::uint8_t>(CodecId::kTemplateStrings));
    column.put_varint(1);
    column.put_varint(words != 0 ? 1 : 0);
    column.put_varint(longest);
    put_part(constant_number(words), &column);
    put_part(words != 0 ? constant_number(place) : std::vector<std::uint8_t>(), &column);
    put_part(constant_string(text), &column);
    put_part(constant_number(lines), &column);
    put_part(constant_number(index), &column);
    if (words != 0) put_part(word, &column);
    put_part({}, &column);
    Strings decoded;
    return decode_in_all_ways({column.data(), column.size()}, n, {}, &decoded);
  }
};

TEST(TemplateStrings, HaveLimits) {
  EXPECT_TRUE(ByHand().decodes(1000));
  EXPECT_FALSE((ByHand{.lines = 999}).decodes(1000));
  EXPECT_FALSE((ByHand{.lines = 1001}).decodes(1000));
  EXPECT_FALSE((ByHand{.place = 1}).decodes(1000));
  EXPECT_FALSE((ByHand{.index = 2}).decodes(1000));
  EXPECT_FALSE((ByHand{.index = 0}).decodes(1000));
  EXPECT_TRUE((ByHand{.longest = 3}).decodes(1000));
  EXPECT_FALSE((ByHand{.longest = 2}).decodes(1000));
  EXPECT_TRUE((ByHand{.words = 255}).decodes(1000));
  EXPECT_FALSE((ByHand{.words = 256}).decodes(1000));
  EXPECT_FALSE(ByHand().decodes(1001));
}

TEST(TemplateStrings, ClaimsTakeNoMemory) {
  constexpr std::size_t kMany = std::size_t{1} << 22;
  for (const ByHand& claim : {ByHand{.words = 255, .text = ""}, ByHand{.words = 0, .text = std::string(1000, 'x')},
                              ByHand{.word = constant_string(std::string(1000, 'x'))}}) {
    EXPECT_TRUE(claim.decodes(1000));
    ByHand many = claim;
    many.lines = kMany;
    EXPECT_FALSE(many.decodes(kMany));
  }
}

TEST(TemplateStrings, HoldNoneOfTheirOwn) {
  ByteBuffer shared;
  shared.put(static_cast<std::uint8_t>(CodecId::kSharedStrings));
  shared.put_varint(1);
  shared.put_varint(0);
  EXPECT_FALSE((ByHand{.word = {shared.data(), shared.data() + shared.size()}}).decodes(1000));
  EXPECT_FALSE((ByHand{.word = {static_cast<std::uint8_t>(CodecId::kTemplateStrings), 1, 0, 9}}).decodes(1000));
}

}  // namespace
}  // namespace steno::format
