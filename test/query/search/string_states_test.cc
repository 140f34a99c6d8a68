// Columns of strings of every codec lead an automaton where their strings do.
#include "query/search/string_states.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <optional>

#include "../format/string_cases.h"
#include "../random_cases.h"
#include "format/strings/shared/codec.h"
#include "query/search/pattern.h"
#include "random_pattern.h"
#include "text/value_text.h"

namespace steno::query {
namespace {

using Rng = std::mt19937_64;
using Strings = std::vector<std::optional<std::string>>;

// A reader's dictionaries, some of whose strings may be lost.
class Dictionaries final : public format::SharedDictionaries {
 public:
  std::span<const std::string_view> strings_of(std::uint64_t dictionary) const override {
    const auto found = tables_.find(dictionary);
    if (found == tables_.end()) return {};
    return std::span(found->second).first(std::min(found->second.size(), most_));
  }
  void add(ByteBuffer& parts) {
    blocks_.push_back({parts.data(), parts.data() + parts.size()});
    ByteReader in(blocks_.back().data(), blocks_.back().size());
    while (!in.at_end()) {
      format::StringsPart part;
      ASSERT_TRUE(format::read_strings_part(in, &part));
      auto& table = tables_[part.dictionary];
      table.resize(part.first + part.count);
      ByteReader column(part.column.data(), part.column.size());
      ASSERT_TRUE(format::decode_strings(column, part.count, {}, &arenas_.emplace_back(), table.data() + part.first));
    }
    parts.clear();
  }
  void lose_all_behind(std::size_t most) { most_ = most; }

 private:
  std::map<std::uint64_t, std::vector<std::string_view>> tables_;
  std::size_t most_ = SIZE_MAX;
  std::list<std::vector<std::uint8_t>> blocks_;
  std::list<format::StringArena> arenas_;
};

std::string digits(Rng& rng, std::size_t n, const char* alphabet, unsigned base) {
  std::string s;
  while (s.size() < n) s += alphabet[rng() % base];
  return s;
}

// The strings of one argument: of a kind, or of several; some repeat, some are null.
class ArgumentStrings {
 public:
  explicit ArgumentStrings(Rng& rng)
      : rng_(rng),
        kinds_(1 + rng() % 3),
        first_(rng() % 8),
        repeated_(rng() % 3),
        has_lines_(rng() % 4 == 0),
        has_sentences_(rng() % 3 == 0),
        has_dumps_(rng() % 8 == 0),
        has_lists_(rng() % 4 == 0),
        has_bursts_(rng() % 5 == 0) {
    for (int i = 0; i < 40; ++i) pool_.push_back(fresh());
  }

  Strings take(std::size_t n) {
    const bool nulls = rng_() % 4 == 0;
    Strings out;
    while (out.size() < n) {
      if (has_bursts_ && !out.empty() && rng_() % 5 != 0) {
        out.push_back(out.back());
      } else if (nulls && rng_() % 10 == 0) {
        out.emplace_back();
      } else {
        out.push_back(rng_() % 3 < repeated_ ? pool_[rng_() % pool_.size()] : fresh());
      }
    }
    return out;
  }

 private:
  std::string fresh() {
    if (has_lines_ && rng_() % 16 != 0) return format::testing::line(rng_);
    if (has_dumps_ && rng_() % 30 != 0) return dump();
    if (has_lists_ && rng_() % 30 != 0) return list();
    if (has_sentences_ && rng_() % 16 != 0) return sentence();
    switch ((first_ + rng_() % kinds_) % 8) {
      case 0:
        return "user:" + digits(rng_, 7, "0123456789", 10);
      case 1:
        return digits(rng_, 8, "0123456789abcdef", 16) + "-" + digits(rng_, 4, "0123456789abcdef", 16) + "-4" +
               digits(rng_, 3, "0123456789abcdef", 16);
      case 2:
        return "/api/v" + std::to_string(rng_() % 3) + (rng_() % 2 == 0 ? "/users/" : "/carts/") +
               std::to_string(rng_() % 100'000) + ".json";
      case 3:
        return "10." + std::to_string(rng_() % 256) + "." + std::to_string(rng_() % 256) + ":" +
               std::to_string(rng_() % 60'000);
      case 4:
        return "GET";
      case 5:
        return "id=" + digits(rng_, 12, "0123456789ABCDEF", 16);
      case 6:
        return digits(rng_, rng_() % 30, "abcXYZ 019-\xC3\xA9", 13);
      default:
        return "a longer text which comes again, number " + std::to_string(rng_() % 7);
    }
  }

  // Bytes of two kinds, of which zeros may be all.
  std::string dump() {
    std::string s;
    const bool zeros = rng_() % 4 == 0;
    for (int k = 0; k < 12; ++k) s += (k != 0 ? " " : "") + (zeros ? "00" : digits(rng_, 2, "0123456789abcdef", 16));
    return s;
  }

  // Returns two to six items that begin alike, with text between them that may occur in them.
  std::string list() {
    static constexpr const char* kItems[] = {"get user:7", "get 42: a", "took 19 ms", "(null)", "lost ", "no: "};
    std::string s;
    for (std::size_t items = 1 + rng_() % 6; items > 0; --items) {
      s += kItems[rng_() % 6] + digits(rng_, rng_() % 6, "0123456789", 10) + (rng_() % 40 == 0 ? "; " : "");
      if (items != 1) s += "; ";
    }
    return s;
  }

  // Words that begin and end alike, a number now and then, and marks.
  std::string sentence() {
    static constexpr const char* kParts[] = {"get", "ter", "a", "lock", "set", "un", "user", "id", "1", "form"};
    static constexpr const char* kMarks[] = {" ", " ", " ", " ", " ", " ", " ", ", ", " (", "/"};
    std::string s = rng_() % 8 == 0 ? " " : "";
    for (std::size_t words = 8 + rng_() % 25; words > 0; --words) {
      std::size_t word = rng_() % 700 * (rng_() % 700) / 700;
      for (; word != 0; word /= 10) s += kParts[word % 10];
      if (rng_() % 30 == 0) s += digits(rng_, 9, "0123456789", 10);
      s += kMarks[rng_() % 10];
    }
    return s;
  }

  Rng& rng_;
  std::uint64_t kinds_, first_, repeated_;
  bool has_lines_, has_sentences_, has_dumps_, has_lists_, has_bursts_;
  std::vector<std::string> pool_;
};

std::vector<std::uint8_t> encode(const Strings& strings, format::SharedColumn* shared) {
  static format::IntScratch ints;
  static format::StringMemory memory(ints);
  static std::uint64_t column = 0;
  format::StringContext context(memory);
  context.shared = shared;
  context.column = ++column;  // of which nothing is known: all codecs are tried
  std::string bytes(16, '\0');
  for (const auto& s : strings) bytes += s.value_or("");
  std::vector<format::StringRef> refs;
  const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data()) + 16;
  for (const auto& s : strings) {
    refs.push_back({p, s ? static_cast<std::uint32_t>(s->size()) : kNullString});
    p += s.value_or("").size();
  }
  format::StringSource source;
  source.count = refs.size();
  source.array = refs.data();
  ByteBuffer out;
  format::encode_strings(source, context, out);
  return {out.data(), out.data() + out.size()};
}

std::shared_ptr<const Pattern> random_pattern(Rng& rng, const Strings& strings) {
  std::vector<std::string> texts = {"get 42: ", "(null)"};
  for (std::size_t i = 0; i < 10; ++i) texts.push_back(strings[rng() % strings.size()].value_or("{!missing string}"));
  test::RandomPattern random(rng, texts);
  for (;;) {
    const bool literal = rng() % 2 == 0;
    auto pattern = Pattern::make(literal ? random.literal() : random.regex(),
                                 literal ? PatternKind::kContains : PatternKind::kRegex, rng() % 5 == 0);
    if (pattern.ok() && (*pattern)->automaton() != nullptr) return *pattern;
  }
}

constexpr const char* kBehind[] = {"", " ", ": ", "7", ", 42 bytes"};

TEST(StringStates, AreThoseOfTheStrings) {
  if (test::kThreadSanitizer) GTEST_SKIP() << "it has one thread, and takes long";
  const int rounds = test::random_cases(40);
  const std::uint32_t seeds = test::kAddressSanitizer ? 120 : 240;
  Scratch scratch;
  std::map<int, std::size_t> codecs;
  std::size_t mixed = 0;
  std::size_t passed_over = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    Rng rng(seed);
    ArgumentStrings argument(rng);
    format::SharedStrings owner;
    Dictionaries dictionaries;
    format::SharedColumn* shared = rng() % 3 != 0 ? owner.of(1, 0) : nullptr;
    std::vector<std::vector<std::uint8_t>> blocks;
    std::vector<std::size_t> sizes;
    Strings all;
    for (int block = 0; block < 4; ++block) {
      sizes.push_back(1 + rng() % 600);
      const Strings strings = argument.take(sizes.back());
      all.insert(all.end(), strings.begin(), strings.end());
      blocks.push_back(encode(strings, shared));
      dictionaries.add(owner.parts());
    }
    if (rng() % 6 == 0) dictionaries.lose_all_behind(rng() % 20);
    for (int round = 0; round < rounds; ++round) {
      const auto pattern = random_pattern(rng, all);
      const Automaton& automaton = *pattern->automaton();
      const bool print_null = rng() % 2 == 0;
      SharedTables tables;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::size_t n = sizes[b];
        ++codecs[blocks[b][0]];
        std::vector<std::string_view> views(n);
        format::StringArena arena;
        ByteReader in(blocks[b].data(), blocks[b].size());
        ASSERT_TRUE(format::decode_strings(in, n, {.shared = &dictionaries}, &arena, views.data()));

        StringStates strings(*pattern, print_null, &tables, &dictionaries, &scratch);
        RowStates states(n, automaton.start());
        if (rng() % 2 == 0) {  // what came before leads the rows apart
          const std::uint64_t some = 1 + rng() % automaton.states();
          states.advance([&](std::size_t i, Automaton::State) { return static_cast<Automaton::State>(i * 7 % some); });
        }
        const RowStates before = states;
        const Suffix behind(kBehind[rng() % std::size(kBehind)], rng() % 3 == 0);
        ASSERT_TRUE(strings.run(blocks[b], behind, rng() % 2 == 0, &states));
        before.present().each([&](Automaton::State from) {
          const StateSet may = strings.outcomes(from, blocks[b], n);
          passed_over += may.single();
          StateSet behind_all;
          may.each([&](Automaton::State state) { behind_all.add(behind.after(automaton, state)); });
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_TRUE(before.at(i) != from || behind_all.has(states.at(i)))
                << "'" << views[i] << "' seed " << seed << " codec " << int{blocks[b][0]};
          }
        });
        for (std::size_t i = 0; i < n; ++i) {
          const bool is_null = views[i].data() == nullptr;
          const Automaton::State from = before.at(i);
          const Automaton::State expected = !is_null                      ? automaton.run(from, views[i])
                                            : print_null                  ? automaton.run(from, text::kNullText)
                                            : Automaton::is_decided(from) ? from
                                                                          : Automaton::kUnknown;
          ASSERT_EQ(states.at(i), behind.after(automaton, expected))
              << "'" << views[i] << "' seed " << seed << " codec " << int{blocks[b][0]};
          ASSERT_TRUE(states.present().has(states.at(i)));
          ASSERT_LE(views[i].size(), strings.longest());
        }
        mixed += !states.uniform();
      }
    }
  }
  EXPECT_GT(mixed, seeds / 5 * rounds);
  EXPECT_GT(passed_over, seeds / 5 * rounds);
  for (const format::CodecId codec :
       {format::CodecId::kStrings, format::CodecId::kStringDictionary, format::CodecId::kShapedStrings,
        format::CodecId::kSharedStrings, format::CodecId::kLetterStrings, format::CodecId::kTemplateStrings,
        format::CodecId::kWordStrings, format::CodecId::kHexStrings, format::CodecId::kListStrings,
        format::CodecId::kStringRuns}) {
    EXPECT_GT(codecs[static_cast<int>(codec)], seeds / 80 * rounds) << static_cast<int>(codec);
  }
}

// Whole words, parts of them and several of them, at the end of the message or not.
TEST(StringStates, AreThoseOfWordsOfSentences) {
  Rng rng(2);
  std::vector<std::string> words;
  for (int i = 0; i < 400; ++i) words.push_back(format::testing::text(rng, 2, 9));
  const auto word = [&] { return words[rng() % words.size() * (rng() % words.size()) / words.size()]; };
  Strings sentences;
  std::vector<std::string> once;  // words that are not in the dictionary
  for (int i = 0; i < 3'000; ++i) {
    std::string text = word();
    if (rng() % 10 == 0) text = once.emplace_back(format::testing::text(rng, 10, 12));
    for (std::size_t k = rng() % 25; k > 0; --k) text += (rng() % 8 == 0 ? ", " : " ") + word();
    if (rng() % 100 != 0) sentences.emplace_back(rng() % 100 == 0 ? "" : text + ".!"[rng() % 2]);
    if (rng() % 100 == 0) sentences.emplace_back();
  }
  const std::vector<std::uint8_t> column = encode(sentences, nullptr);
  ASSERT_EQ(column[0], static_cast<std::uint8_t>(format::CodecId::kWordStrings));
  Scratch scratch;
  const std::pair<const char*, bool> behinds[] = {{"", true}, {"", false}, {"!", true}, {" more", false}};
  std::size_t found = 0;
  for (int round = 0; round < test::random_cases(200); ++round) {
    std::string text = rng() % 4 == 0 ? once[rng() % once.size()] : word();
    if (rng() % 4 == 0) text = text.substr(rng() % text.size());
    if (rng() % 4 == 0) text += (rng() % 2 == 0 ? " " : ", ") + word();
    if (rng() % 8 == 0) text += "!";
    const auto pattern = Pattern::make(text, PatternKind::kContains, false);
    ASSERT_TRUE(pattern.ok());
    const Automaton& automaton = *(*pattern)->automaton();
    for (const bool by_claims : {true, false}) {
      const auto& [behind, ends] = behinds[rng() % std::size(behinds)];
      const Suffix suffix(behind, ends);
      SharedTables tables;
      StringStates strings(**pattern, true, &tables, nullptr, &scratch);
      RowStates states(sentences.size(),
                       automaton.run(automaton.start(), rng() % 8 == 0 ? text.substr(0, 2) : "says: "));
      const Automaton::State from = states.at(0);
      ASSERT_TRUE(strings.run(column, suffix, by_claims, &states));
      for (std::size_t i = 0; i < sentences.size(); ++i) {
        const auto expected =
            suffix.after(automaton, automaton.run(from, sentences[i].value_or(text::kNullText.data())));
        ASSERT_EQ(states.at(i), expected) << "'" << text << "' in '" << sentences[i].value_or("null") << "'";
        ASSERT_TRUE(states.present().has(states.at(i)));
        found += states.at(i) == Automaton::kFound ? 1 : 0;
      }
    }
  }
  EXPECT_GT(found, 1'000u);
}

// Lines of so many words that lead somewhere that they are looked at one by one.
TEST(StringStates, AreThoseOfLinesOfManyWords) {
  Rng rng(1);
  Strings lines;
  for (int i = 0; i < 1'800; ++i) {
    std::string text = "statement " + std::string(1, static_cast<char>('a' + i % 300 / 20)) +
                       std::string(1, static_cast<char>('a' + i % 20));
    for (int word = 0; word < 90; ++word) text += " " + std::to_string(rng() % 10'000);
    lines.emplace_back(text);
  }
  const std::vector<std::uint8_t> column = encode(lines, nullptr);
  ASSERT_EQ(column[0], static_cast<std::uint8_t>(format::CodecId::kTemplateStrings));
  Scratch scratch;
  for (const char* text : {"707", "statement cd", "12 345", "nothing"}) {
    const auto pattern = *Pattern::make(text, PatternKind::kContains, false);
    const Automaton& automaton = *pattern->automaton();
    for (const bool by_claims : {false, true}) {
      SharedTables tables;
      StringStates strings(*pattern, true, &tables, nullptr, &scratch);
      RowStates states(lines.size(), automaton.start());
      ASSERT_TRUE(strings.run(column, {"", true}, by_claims, &states));
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool found = lines[i]->find(text) != std::string::npos;
        ASSERT_EQ(states.at(i), found ? Automaton::kFound : Automaton::kLost) << *lines[i];
      }
    }
  }
}

// Codes of which few lead elsewhere: those rows are found by them.
TEST(StringStates, AreThoseOfTheStringsOfLargeDictionaries) {
  const int rounds = test::random_cases(40);
  Scratch scratch;
  std::size_t apart = 0;
  std::size_t shared_columns = 0;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    Rng rng(seed);
    Strings pool;
    for (int i = 0; i < 900; ++i) {
      pool.push_back("/api/v" + std::to_string(rng() % 3) + "/users/" + std::to_string(rng() % 100'000) + ".json");
    }
    format::SharedStrings owner;
    Dictionaries dictionaries;
    const std::uint64_t once = rng() % 3 == 0 ? 0 : 1 + rng() % 60;  // of 1,000 strings come once
    constexpr std::size_t kRows = 6'000;
    std::vector<std::uint8_t> column;
    Strings strings;
    for (int block = 0; block < 4; ++block) {
      strings.clear();
      while (strings.size() < kRows) {
        const std::uint64_t k = (rng() % pool.size()) * (rng() % pool.size()) / pool.size();
        strings.push_back(rng() % 1'000 < once ? "other " + std::to_string(rng()) : pool[k]);
      }
      column = encode(strings, owner.of(1, 0));
      dictionaries.add(owner.parts());
    }
    shared_columns += column[0] == static_cast<std::uint8_t>(format::CodecId::kSharedStrings) ? 1 : 0;
    for (int round = 0; round < rounds; ++round) {
      std::shared_ptr<const Pattern> pattern = random_pattern(rng, strings);
      if (rng() % 2 == 0) {
        const std::string digits = std::to_string(1'000 + rng() % 9'000);
        pattern = *Pattern::make(digits, PatternKind::kContains, false);
      }
      const Automaton& automaton = *pattern->automaton();
      SharedTables tables;
      StringStates states_of(*pattern, true, &tables, &dictionaries, &scratch);
      RowStates states(kRows, automaton.start());
      const bool some_decided = rng() % 2 == 0;
      const auto before = [&](std::size_t i) {
        return some_decided && i % 97 == 5 ? Automaton::kFound : automaton.start();
      };
      states.advance([&](std::size_t i, Automaton::State) { return before(i); });
      const Suffix behind(kBehind[rng() % std::size(kBehind)], rng() % 3 == 0);
      ASSERT_TRUE(states_of.run(column, behind, true, &states));
      for (std::size_t i = 0; i < kRows; ++i) {
        const Automaton::State expected = behind.after(automaton, automaton.run(before(i), *strings[i]));
        ASSERT_EQ(states.at(i), expected) << "'" << *strings[i] << "' seed " << seed;
        ASSERT_TRUE(states.present().has(expected));
      }
      apart += states.uniform() ? 0 : 1;
    }
    for (int damage = 0; damage < 300; ++damage) {
      std::vector<std::uint8_t> bytes = column;
      bytes[rng() % std::min<std::size_t>(bytes.size(), damage % 2 == 0 ? 200 : bytes.size())] =
          static_cast<std::uint8_t>(rng());
      const auto pattern = Pattern::make("77", PatternKind::kContains, false);
      SharedTables tables;
      StringStates states_of(**pattern, true, &tables, &dictionaries, &scratch);
      RowStates states(kRows, (*pattern)->automaton()->start());
      (void)states_of.run(bytes, " ", true, &states);
    }
  }
  EXPECT_GT(shared_columns, 3u);
  EXPECT_GT(apart, 15u);
}

// The automaton knows from the longest string whether a message may be cut, whatever is read.
TEST(StringStates, LongestCountsDictionariesThatArePassedOver) {
  constexpr std::size_t kLong = 3000;
  Strings strings;
  for (std::size_t i = 0; i < 200; ++i) {
    strings.emplace_back(i % 3 == 0 ? std::string(kLong, 'a') : "short " + std::to_string(i % 5));
  }
  format::SharedStrings owner;
  Dictionaries dictionaries;
  std::vector<std::uint8_t> column;
  for (int block = 0; block < 3; ++block) {
    column = encode(strings, owner.of(1, 0));
    dictionaries.add(owner.parts());
  }
  ASSERT_EQ(column[0], static_cast<std::uint8_t>(format::CodecId::kSharedStrings));
  const auto pattern = Pattern::make("zzz", PatternKind::kContains, false);
  ASSERT_TRUE(pattern.ok());
  const Automaton& automaton = *(*pattern)->automaton();
  Scratch scratch;
  SharedTables tables;
  StringStates states_of(**pattern, true, &tables, &dictionaries, &scratch);
  RowStates states(strings.size(), automaton.start());
  ASSERT_TRUE(states_of.run(column, "", true, &states));
  EXPECT_GE(states_of.longest(), kLong);
}

TEST(StringStates, DamagedColumnsAreRefusedOrRead) {
  Rng rng(7);
  Scratch scratch;
  std::size_t refused = 0;
  for (int round = 0; round < 40; ++round) {
    ArgumentStrings argument(rng);
    format::SharedStrings owner;
    Dictionaries dictionaries;
    const Strings strings = argument.take(300);
    (void)encode(strings, owner.of(1, 0));
    const std::vector<std::uint8_t> sound = encode(strings, owner.of(1, 0));
    dictionaries.add(owner.parts());
    const auto pattern = random_pattern(rng, strings);
    SharedTables tables;
    StringStates states(*pattern, true, &tables, &dictionaries, &scratch);
    for (int k = 0; k < 300; ++k) {
      std::vector<std::uint8_t> bytes = sound;
      if (rng() % 4 == 0) {
        bytes.resize(rng() % bytes.size());
      } else {
        bytes[rng() % std::min<std::size_t>(bytes.size(), 100)] = static_cast<std::uint8_t>(rng());
      }
      RowStates rows(strings.size(), pattern->automaton()->start());
      refused += !states.run(bytes, "", false, &rows);
      (void)states.outcomes(pattern->automaton()->start(), bytes, strings.size());
    }
  }
  EXPECT_GT(refused, 1'000u);
}

}  // namespace
}  // namespace steno::query
