// Hexadecimal strings (file.md §9.6.3), and how layouts are found for them.
#include "format/strings/hex/column.h"

#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

std::string hex_of(std::uint8_t byte, bool upper) {
  const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  return {digits[byte >> 4], digits[byte & 15]};
}

// A layout with something before, between and after its bytes, and strings of it.
struct Dump {
  const char* name;
  const char* before;
  std::vector<const char*> between;  // one after the other, again and again
  const char* after;
  std::size_t bytes;
  bool upper;

  std::string row(const std::string& content) const {
    std::string s = before;
    for (std::size_t k = 0; k < content.size(); ++k) {
      if (k != 0) s += between[(k - 1) % between.size()];
      s += hex_of(static_cast<std::uint8_t>(content[k]), upper);
    }
    return content.size() == bytes ? s + after : s;
  }
};

const Dump kDumps[] = {
    {"hexdump -C", "", {" ", " ", " ", " ", " ", " ", " ", "  "}, "", 16, false},
    {"xxd", "", {"", " "}, "", 16, false},
    {"one word", "", {""}, "", 40, false},
    {"with a prefix", "key=0x", {""}, ";", 20, true},
    {"an array", "{0x", {", 0x"}, "}", 32, false},
    {"a hardware address and more", "", {":"}, " on eth0", 12, true},
};

// A third zeros, a third text, a third anything; some are shorter.
std::string content(Rng& rng, std::size_t bytes) {
  std::string s(rng() % 20 == 0 ? 1 + rng() % bytes : bytes, '\0');
  const auto kind = rng() % 3;
  for (char& c : s) c = static_cast<char>(kind == 0 ? 0 : kind == 1 ? ' ' + rng() % 95 : rng());
  return s;
}

Strings rows_of(const Dump& dump, std::size_t n, Rng& rng) {
  Strings rows;
  while (rows.size() < n) rows.emplace_back(dump.row(content(rng, dump.bytes)));
  return rows;
}

TEST(HexStrings, AreChosenForDumps) {
  for (const Dump& dump : kDumps) {
    Rng rng(1);
    Columns columns;
    for (int block = 0; block < 3; ++block) {
      const Strings rows = rows_of(dump, 3000, rng);
      const auto column = columns.pass(rows);
      ASSERT_EQ(codec_of(column), CodecId::kHexStrings) << dump.name;
      EXPECT_LT(column.size(), rows.size() * (dump.bytes + 1)) << "a byte takes a byte at most: " << dump.name;
    }
  }
}

TEST(HexStrings, AreNotForOtherTexts) {
  for (const Distribution& distribution : kDistributions) {
    EXPECT_NE(codec_of(Columns().pass(make(distribution, 3000))), CodecId::kHexStrings) << distribution.name;
  }
}

TEST(HexStrings, HoldNullsEmptyOnesAndAnyBytes) {
  std::size_t held = 0;
  for (const Dump& dump : kDumps) {
    Rng rng(2);
    Strings rows = rows_of(dump, 4000, rng);
    for (std::size_t i = 0; i < rows.size(); i += 40 + rng() % 20) {
      disturb(&rows[i], rng, 3, [&](std::string& s, std::size_t k) {
        if (k == 0) s.resize(rng() % s.size());
        if (k == 1) {
          for (char& c : s) c = static_cast<char>(dump.upper ? std::tolower(c) : std::toupper(c));
        }
        if (k == 2) s += hex_of(static_cast<std::uint8_t>(rng()), dump.upper) + text(rng, 0, 2000);
      });
    }
    held += codec_of(Columns().pass(rows)) == CodecId::kHexStrings ? 1 : 0;
  }
  EXPECT_GE(held + 1, std::size(kDumps)) << "of one, another codec may make less";
}

// The layout of a column may change.
TEST(HexStrings, FollowTheirLayout) {
  Rng rng(3);
  Columns columns;
  std::size_t chosen = 0;
  for (int block = 0; block < 40; ++block) {
    const Dump& dump = kDumps[block / 8 % std::size(kDumps)];
    const Strings rows = block % 16 == 15 ? make(kDistributions[4], 500) : rows_of(dump, 500, rng);
    chosen += codec_of(columns.pass(rows)) == CodecId::kHexStrings ? 1 : 0;
  }
  EXPECT_GT(chosen, 20u);
}

TEST(HexStrings, SurviveDamage) {
  Rng rng(4);
  for (const Dump& dump : kDumps) {
    Strings rows = rows_of(dump, 600, rng);
    for (std::size_t i = 0; i < rows.size(); i += 47) rows[i] = text(rng, 0, 40);
    const auto column = Columns().pass(rows);
    ASSERT_EQ(codec_of(column), CodecId::kHexStrings) << dump.name;
    SCOPED_TRACE(dump.name);
    expect_damage_told(column, rows.size(), 60, test::random_cases(500), rng);
  }
}

// A column by hand: strings of one code, and bytes that are all the same.
struct HexByHand {
  std::uint8_t letters = 0;
  std::vector<std::string> texts = {"<", " ", ">"};  // around two bytes
  std::uint64_t count = texts.size() - 1;
  std::uint64_t code = hex_row(7, false);
  std::uint64_t bytes = 2;  // in all
  std::vector<std::uint8_t> byte_column = constant_number(0x4F);
  std::uint64_t other_count = 0;
  std::vector<std::uint8_t> others = {};

  std::optional<Strings> decode(std::size_t n, unsigned within = 0) const {
    ByteBuffer column;
    column.put(static_cast<std::uint8_t>(CodecId::kHexStrings));
    column.put(letters);
    column.put_varint(count);
    for (const std::string& text : texts) column.put_string(text);
    put_part(constant_number(code), &column);
    column.put_varint(bytes);
    put_part(byte_column, &column);
    column.put_varint(other_count);
    put_part(others, &column);
    Strings decoded;
    if (!decode_in_all_ways({column.data(), column.size()}, n, {.within = within}, &decoded)) return std::nullopt;
    return decoded;
  }
};

TEST(HexStrings, AreWhatTheirCodesSay) {
  EXPECT_EQ(HexByHand().decode(1), Strings{"<4f 4f>"});
  EXPECT_EQ((HexByHand{.letters = 1}).decode(1), Strings{"<4F 4F>"});
  EXPECT_EQ((HexByHand{.code = hex_row(4, false)}).decode(2), (Strings{"<4f ", "<4f "}));
  EXPECT_EQ((HexByHand{.code = hex_row(7, true)}).decode(2), (Strings{"<4f 4f>", "<4f 4f>"}));
  EXPECT_EQ((HexByHand{.code = hex_row(3, true), .bytes = 1}).decode(1), Strings{"<4f"});
  EXPECT_EQ((HexByHand{.code = hex_row(1, false), .bytes = 0, .byte_column = {}}).decode(1), Strings{"<"});
  EXPECT_EQ((HexByHand{.code = hex_row(0, false), .bytes = 0, .byte_column = {}}).decode(1), Strings{""});
  const HexByHand other{
      .code = kOtherHexRow, .bytes = 0, .byte_column = {}, .other_count = 2, .others = constant_string("?")};
  EXPECT_EQ(other.decode(2), (Strings{"?", "?"}));
}

TEST(HexStrings, HaveLimits) {
  EXPECT_FALSE((HexByHand{.letters = 2}).decode(1));
  EXPECT_FALSE((HexByHand{.count = 0}).decode(1));
  EXPECT_FALSE((HexByHand{.count = 513}).decode(1));
  EXPECT_FALSE((HexByHand{.code = hex_row(8, false)}).decode(1)) << "longer than the layout";
  EXPECT_FALSE((HexByHand{.code = hex_row(2, false)}).decode(1)) << "half a byte";
  EXPECT_FALSE((HexByHand{.code = hex_row(5, false)}).decode(1)) << "one byte and a half";
  EXPECT_FALSE((HexByHand{.code = hex_row(1, true)}).decode(1)) << "the same as none";
  EXPECT_FALSE((HexByHand{.bytes = 1}).decode(1));
  EXPECT_FALSE((HexByHand{.bytes = 3}).decode(1));
  EXPECT_FALSE((HexByHand{.other_count = 1, .others = constant_string("?")}).decode(1));
  EXPECT_FALSE((HexByHand{.code = kOtherHexRow, .bytes = 0, .byte_column = {}}).decode(1));
  const auto with_text = [](std::size_t size) {
    return HexByHand{.texts = {std::string(size, '-'), " ", "."}, .code = hex_row(size + 6, false)};
  };
  EXPECT_TRUE(with_text(kMaxHexLayout - 6).decode(1));
  EXPECT_FALSE(with_text(kMaxHexLayout - 5).decode(1));
  for (const CodecId codec :
       {CodecId::kStringDictionary, CodecId::kShapedStrings, CodecId::kTemplateStrings, CodecId::kHexStrings}) {
    EXPECT_FALSE(HexByHand().decode(1, within_bit(codec)));
  }
}

TEST(HexStrings, ClaimsTakeNoMemory) {
  HexByHand large{.texts = {std::string(1000, '-'), " ", "."}, .code = hex_row(1006, true), .bytes = 1 << 20};
  EXPECT_FALSE(large.decode(1 << 20)) << "more than a block may hold";
}

// file.md §9.7.
TEST(HexStrings, AreThoseOfTheExample) {
  HexLayout layout;
  const std::uint16_t places[] = {0, 3};
  ASSERT_TRUE(layout.set("4f 4b", places, false));
  HexRows rows;
  rows.codes = {hex_row(5, false), hex_row(5, true)};
  for (const std::uint8_t byte : {0x4F, 0x4B, 0x00}) rows.bytes.put(byte);
  const auto ints = std::make_unique<IntScratch>();
  StringMemory memory(*ints);
  ByteBuffer out;
  out.put(static_cast<std::uint8_t>(CodecId::kHexStrings));
  append_hex(layout, rows, StringContext(memory), out);
  const std::vector<std::uint8_t> expected = {0x1c, 0, 2, 0, 1, ' ', 0,    4,    2, 1, 0x16,
                                              2,    3, 6, 2, 7, 0,   0xcf, 0x25, 0, 0, 0};
  EXPECT_EQ(std::vector<std::uint8_t>(out.data(), out.data() + out.size()), expected);
  Strings strings;
  ASSERT_TRUE(decode_in_all_ways({out.data(), out.size()}, 2, {}, &strings));
  EXPECT_EQ(strings, (Strings{"4f 4b", "00 00"}));
}

TEST(HexLayout, MayContainWhatItsStringsContain) {
  Rng rng(6);
  std::size_t never = 0;
  for (int i = 0; i < test::random_cases(3'000); ++i) {
    std::string text;
    std::vector<std::uint16_t> places;
    for (std::size_t k = 1 + rng() % 6; k > 0; --k) {
      for (std::size_t size = rng() % 3; size > 0; --size) text += "a1 -"[rng() % 4];
      places.push_back(static_cast<std::uint16_t>(text.size()));
      text += "00";
    }
    for (std::size_t size = rng() % 3; size > 0; --size) text += "a1 -"[rng() % 4];
    HexLayout layout;
    ASSERT_TRUE(layout.set(text, places, false));
    ASSERT_EQ(layout.text(), text);
    const auto string = [&] {
      std::string s = text;
      for (const std::uint16_t place : places) s.replace(place, 2, hex_of(static_cast<std::uint8_t>(rng()), false));
      return s;
    };
    const std::string one = string();
    const std::size_t begin = rng() % one.size();
    ASSERT_TRUE(layout.may_contain(one.substr(begin, rng() % 6))) << one;
    std::string part(1 + rng() % 4, ' ');
    for (char& c : part) c = "a1b -x"[rng() % 6];
    if (layout.may_contain(part)) continue;
    ++never;
    for (int k = 0; k < 20; ++k) ASSERT_EQ(string().find(part), std::string::npos) << part;
  }
  EXPECT_GT(never, 100u);
}

TEST(HexLayout, HasPlacesInOrder) {
  HexLayout layout;
  const auto set = [&](std::string_view text, std::vector<std::uint16_t> places) {
    return layout.set(text, places, false);
  };
  EXPECT_TRUE(set("00 00", {0, 3}));
  EXPECT_TRUE(layout.has_only_bytes());
  EXPECT_EQ(layout.bytes_before(2), 1u);
  EXPECT_EQ(layout.bytes_before(5), 2u);
  EXPECT_FALSE(layout.may_end_at(4));
  EXPECT_TRUE(set("0x00", {2}));
  EXPECT_FALSE(layout.has_only_bytes());
  EXPECT_FALSE(set("0000", {}));
  EXPECT_FALSE(set("0000", {0, 1}));
  EXPECT_FALSE(set("0000", {2, 0}));
  EXPECT_FALSE(set("000", {2}));
  EXPECT_FALSE(set(std::string(kMaxHexLayout + 1, '0'), {0}));
}

}  // namespace
}  // namespace steno::format
