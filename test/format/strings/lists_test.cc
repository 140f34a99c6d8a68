// List strings (file.md §9.6.4), and how separators are found for them.
#include "format/strings/lists/read.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

// Messages that tell of their causes.
class Causes {
 public:
  explicit Causes(std::uint64_t seed, std::string separator = ": ") : rng_(seed), separator_(std::move(separator)) {
    for (int i = 0; i < 300; ++i) names_.push_back(text(rng_, 3, 9));
  }
  std::string item() {
    const std::string name = names_[rng_() % names_.size()];
    switch (rng_() % 5) {
      case 0:
        return "cannot load " + name + " " + std::to_string(rng_() % 100'000);
      case 1:
        return "request " + std::to_string(rng_() % 1'000'000) + " failed after " + std::to_string(rng_() % 900) +
               " ms";
      case 2:
        return "connection to " + name + " refused";
      case 3:
        return "field '" + name + "' is no number";
      default:
        return "limit of " + std::to_string(rng_() % 64) + " tries reached by " + name;
    }
  }
  std::string message() {
    std::string s = item();
    for (int k = 0; k < 6 && rng_() % 3 != 0; ++k) s += separator_ + item();
    return s;
  }
  Strings messages(std::size_t n) {
    Strings all;
    while (all.size() < n) all.emplace_back(message());
    return all;
  }
  Rng& rng() { return rng_; }

 private:
  Rng rng_;
  std::string separator_;
  std::vector<std::string> names_;
};

TEST(ListStrings, AreChosenForMessagesWithTheirCauses) {
  for (const char* separator : {": ", "; ", "\n", " | ", ", caused by: "}) {
    Causes causes(1, separator);
    Columns columns;
    for (int block = 0; block < 3; ++block) {
      const auto column = columns.pass(causes.messages(6'000));
      ASSERT_EQ(codec_of(column), CodecId::kListStrings) << "'" << separator << "' " << block;
    }
  }
}

TEST(ListStrings, TakeLessThanTemplatesOfTheWhole) {
  Causes causes(2);
  const Strings messages = causes.messages(20'000);
  Strings items;
  for (std::size_t i = 0; i < messages.size(); ++i) items.emplace_back(causes.item());
  const double each = static_cast<double>(Columns().pass(items).size()) / static_cast<double>(items.size());
  const auto column = Columns().pass(messages);
  ASSERT_EQ(codec_of(column), CodecId::kListStrings);
  std::size_t count = messages.size();
  for (const auto& s : messages) {
    for (std::size_t at = s->find(": "); at != std::string::npos; at = s->find(": ", at + 2)) ++count;
  }
  EXPECT_LT(static_cast<double>(column.size()), 1.2 * each * static_cast<double>(count)) << "about what its items take";
}

TEST(ListStrings, AreNotForOtherTexts) {
  for (const Distribution& distribution : kDistributions) {
    if (distribution.name == std::string("sentences")) continue;  // of eight words, which mostly do not vary
    EXPECT_NE(codec_of(Columns().pass(make(distribution, 3000))), CodecId::kListStrings) << distribution.name;
  }
}

TEST(ListStrings, HoldNullsEmptyOnesAndAnyBytes) {
  Causes causes(3);
  Strings strings = causes.messages(8'000);
  for (std::size_t i = 0; i < strings.size(); i += 7) {
    disturb(&strings[i], causes.rng(), 3, [&](std::string& s, std::size_t k) {
      if (k == 0) s = ": " + s + ": ";
      if (k == 1) s += std::string(1, '\0') + "\xFF\xFE: :\n: : " + std::to_string(causes.rng()());
      if (k == 2) s = ":::";
    });
  }
  EXPECT_EQ(codec_of(Columns().pass(strings)), CodecId::kListStrings);
}

// Any damage is told, or leads to other strings, in bounded memory.
TEST(ListStrings, SurviveDamage) {
  Causes causes(4);
  const Strings messages = causes.messages(3'000);
  const auto column = Columns().pass(messages);
  ASSERT_EQ(codec_of(column), CodecId::kListStrings);
  expect_damage_told(column, messages.size(), 40, test::random_cases(1'000), causes.rng());
}

// A column by hand: strings of so many items, all of them the same.
struct ListsByHand {
  std::uint64_t longest = 1u << 20;
  std::string separator = ", ";
  std::uint64_t count = 2;
  std::vector<std::uint8_t> items = constant_string("ab");

  std::optional<Strings> decode(std::size_t n) const {
    ByteBuffer column;
    column.put(static_cast<std::uint8_t>(CodecId::kListStrings));
    column.put_varint(longest);
    column.put_varint(separator.size());
    column.put_bytes(separator.data(), separator.size());
    put_part(constant_number(count), &column);
    put_part(items, &column);
    Strings decoded;
    if (!decode_in_all_ways({column.data(), column.size()}, n, {}, &decoded)) return std::nullopt;
    return decoded;
  }
};

TEST(ListStrings, AreWhatTheirItemsSay) {
  EXPECT_EQ(ListsByHand().decode(2), (Strings{"ab, ab", "ab, ab"}));
  EXPECT_EQ((ListsByHand{.count = 1}).decode(1), Strings{"ab"});
  EXPECT_EQ((ListsByHand{.count = 3, .items = constant_string("")}).decode(1), Strings{", , "});
  EXPECT_EQ((ListsByHand{.count = 0, .items = {}}).decode(2), (Strings{std::nullopt, std::nullopt}));
  EXPECT_EQ((ListsByHand{.separator = std::string(kMaxSeparator, '-')}).decode(1),
            Strings{"ab" + std::string(kMaxSeparator, '-') + "ab"});
}

// file.md §9.7.
TEST(ListStrings, ExampleOfTheSpecification) {
  const std::uint8_t column[] = {0x1d, 4, 2, 0x3a, 0x20, 4, 2, 1, 2, 1, 6, 0x10, 1, 2, 0x61, 0x62, 0x61};
  Strings decoded;
  ASSERT_TRUE(decode_in_all_ways(column, 2, {}, &decoded));
  EXPECT_EQ(decoded, (Strings{"a: b", "a"}));
}

TEST(ListStrings, HaveLimits) {
  EXPECT_TRUE((ListsByHand{.longest = 6}).decode(10));
  EXPECT_FALSE((ListsByHand{.longest = 5}).decode(10));
  EXPECT_FALSE((ListsByHand{.separator = ""}).decode(10));
  EXPECT_FALSE((ListsByHand{.separator = std::string(kMaxSeparator + 1, '-')}).decode(10));
  EXPECT_FALSE((ListsByHand{.count = 0}).decode(10)) << "items of nothing";
  EXPECT_FALSE((ListsByHand{.items = {}}).decode(10)) << "no items";
}

TEST(ListStrings, ClaimsTakeNoMemory) {
  EXPECT_FALSE((ListsByHand{.count = std::uint64_t{1} << 31}).decode(1 << 20));
  EXPECT_FALSE((ListsByHand{.items = constant_string(std::string(1 << 20, 'x'))}).decode(1 << 20));
}

TEST(ListStrings, HoldNeitherListsNorSharedOnesNorBytes) {
  for (const CodecId codec : {CodecId::kListStrings, CodecId::kSharedStrings, CodecId::kHexStrings}) {
    EXPECT_FALSE((ListsByHand{.items = {static_cast<std::uint8_t>(codec), 1, 0, 0, 0, 0}}).decode(10));
  }
}

}  // namespace
}  // namespace steno::format
