// Columns that show bytes which are there in hexadecimal digits (file.md §9.6.2).
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "../random_cases.h"
#include "block_log.h"
#include "format/strings/shown/column.h"
#include "string_cases.h"

namespace steno::format {
namespace {

constexpr std::uint32_t kDump = 16;
using Rng = std::mt19937_64;
using Texts = std::vector<std::optional<std::string>>;

std::string shown_text(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += shown_as(static_cast<std::uint8_t>(c));
  return out;
}

std::string dumped_bytes(Rng& rng, std::size_t size) {
  std::string bytes(size, '\0');
  const bool text = rng() % 2 == 0;
  for (char& c : bytes) c = static_cast<char>(text ? ' ' + rng() % 95 : rng());
  return bytes;
}

// Digits with something between each `group` bytes.
std::string dump_of(const std::string& bytes, std::size_t group, bool upper) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    if (i != 0 && i % group == 0) out += i % 8 == 0 ? "  " : " ";
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

TEST(ShownBytes, AreTheLastOnesOfAText) {
  char out[8];
  ASSERT_TRUE(show_bytes("00000010  41 42 0a 7f  |", 4, out));
  EXPECT_EQ(std::string_view(out, 4), "AB..");
  ASSERT_TRUE(show_bytes("4142 4344: 4546", 3, out));
  EXPECT_EQ(std::string_view(out, 3), "DEF");
  ASSERT_TRUE(show_bytes("4 1,4 2", 2, out));
  EXPECT_EQ(std::string_view(out, 2), "AB");
  EXPECT_TRUE(show_bytes("", 0, out));
  EXPECT_FALSE(show_bytes("41", 2, out));
  EXPECT_FALSE(show_bytes("1 41", 2, out));
  EXPECT_FALSE(show_bytes("no", 1, out));
  EXPECT_TRUE(shows_bytes("41 42 43", "BC"));
  EXPECT_FALSE(shows_bytes("41 42 43", "AB"));
}

TEST(ShownBytes, AreThoseOfANaiveReader) {
  Rng rng(1);
  for (int i = 0; i < test::random_cases(20'000); ++i) {
    std::string text(rng() % 40, '\0');
    for (char& c : text) c = "0123456789abcdefABCDEF  |:x.z"[rng() % 29];
    std::string digits;
    for (const char c : text) {
      if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
    }
    const std::size_t count = rng() % 22;
    std::string out(count, '\0');
    const bool enough = 2 * count <= digits.size();
    ASSERT_EQ(show_bytes(text, count, out.data()), enough) << text;
    if (!enough) continue;
    std::string expected;
    for (std::size_t k = digits.size() - 2 * count; k < digits.size(); k += 2)
      expected += shown_as(static_cast<unsigned>(std::stoul(digits.substr(k, 2), nullptr, 16)));
    ASSERT_EQ(out, expected) << text;
    ASSERT_TRUE(shows_bytes(text, expected));
  }
}

Log log_of_texts(const std::string& types, std::size_t records, const std::function<Texts(std::size_t)>& row) {
  Log log;
  log.builder.declare(kDump, types);
  for (std::size_t i = 0; i < records; ++i) {
    std::vector<Arg> args;
    for (const auto& text : row(i)) args.push_back(text ? Arg::of_text(*text) : Arg::null());
    log.add(kDump, 1000 * i, args);
  }
  return log;
}

// The codec of a column of the first group; all are read as they were written, in any form.
std::string codec_of_column(const Log& log, const ByteBuffer& block, std::size_t column) {
  const Opened opened(block, log.builder);
  EXPECT_TRUE(opened.status.ok()) << opened.status.message();
  expect_same(log, opened.data);
  const std::string codec = opened.data.column_info(0, column).codec;
  EXPECT_EQ(opened.data.column_bytes(0, column).empty(), codec == "shown_bytes");
  return codec;
}

TEST(ShownColumns, AreFoundBesideTheirDigits) {
  for (const std::size_t group : {1u, 2u, 4u}) {
    Rng rng(group);
    Log log = log_of_texts("SSS", 600, [&](std::size_t i) {
      const std::string bytes = dumped_bytes(rng, i % 20 == 19 ? 1 + rng() % 16 : 16);
      return Texts{"eth" + std::to_string(rng() % 3), dump_of(bytes, group, group == 2), shown_text(bytes)};
    });
    EXPECT_EQ(codec_of_column(log, log.write({.rows_below = 0}), 2), "shown_bytes") << group;
  }
}

// Other columns stand before the digits, too.
TEST(ShownColumns, AreFoundBeforeTheirDigits) {
  Rng rng(2);
  Log log = log_of_texts("SS", 600, [&](std::size_t) {
    const std::string bytes = dumped_bytes(rng, 16);
    return Texts{"[" + shown_text(bytes) + "]", dump_of(bytes, 1, false)};
  });
  const ByteBuffer first = log.write({.rows_below = 0});
  codec_of_column(log, first, 0);
}

TEST(ShownColumns, AreFoundWithTheirDigits) {
  for (const char* tail : {"", "|", "]"}) {
    Rng rng(3);
    Log log = log_of_texts("S", 600, [&](std::size_t i) {
      const std::string bytes = dumped_bytes(rng, i % 20 == 19 ? 1 + rng() % 16 : 16);
      char offset[16];
      std::snprintf(offset, sizeof offset, "%08zx", 16 * i);
      return Texts{offset + ("  " + dump_of(bytes, 1, false)) + "  |" + shown_text(bytes) + tail};
    });
    EXPECT_EQ(codec_of_column(log, log.write({.rows_below = 0}), 0), "shown_bytes") << tail;
  }
}

TEST(ShownColumns, HoldNullsAndOthers) {
  Rng rng(4);
  Log log = log_of_texts("SS", 3000, [&](std::size_t) {
    const std::string bytes = dumped_bytes(rng, 16);
    Texts row{dump_of(bytes, 1, false), shown_text(bytes) + "|"};
    switch (rng() % 12) {
      case 0:
        row[rng() % 2].reset();
        break;
      case 1:
        row[rng() % 2] = "";
        break;
      case 2:
        *row[1] = dumped_bytes(rng, rng() % 30);
        break;
      case 3:
        (*row[0])[rng() % row[0]->size()] = 'x';
        break;
      default:
        break;
    }
    return row;
  });
  EXPECT_EQ(codec_of_column(log, log.write({.rows_below = 0}), 1), "shown_bytes");
}

TEST(ShownColumns, AreNoneWhereNothingIsShown) {
  Rng rng(5);
  Log log = log_of_texts("SS", 1000, [&](std::size_t) {
    const std::string bytes = dumped_bytes(rng, 16);
    return Texts{dump_of(bytes, 1, false), dumped_bytes(rng, 16)};
  });
  EXPECT_NE(codec_of_column(log, log.write({.rows_below = 0}), 1), "shown_bytes");
}

TEST(ShownColumns, EndWithWhatTheyShow) {
  Rng rng(6);
  DataWriter writer({.rows_below = 0});
  bool shows = true;
  std::size_t found = 0;
  for (int block = 0; block < 60; ++block) {
    if (block % 20 == 19) shows = !shows;
    Log log = log_of_texts("SS", 300, [&](std::size_t) {
      const std::string bytes = dumped_bytes(rng, 16);
      return Texts{dump_of(bytes, 1, false), shows ? shown_text(bytes) : dumped_bytes(rng, 16)};
    });
    ByteBuffer out;
    writer.write(log.builder.input(), 7, out, block % 7 == 6 ? Effort::kQuick : Effort::kFull);
    const bool is = codec_of_column(log, out, 1) == "shown_bytes";
    ASSERT_TRUE(shows || !is) << block;
    found += is ? 1 : 0;
  }
  EXPECT_GT(found, 20u);
}

// file.md §9.7, and what is wrong with it if it is changed.
TEST(ShownColumns, OfWhichTheHeadIsWrongAreDamaged) {
  const std::string memory = std::string(16, ' ') + "41 42 |43 44 |";
  const auto* p = reinterpret_cast<const std::uint8_t*>(memory.data()) + 16;
  const StringRef fronts[] = {{p, 7}, {p + 7, 7}};
  const std::uint32_t characters[] = {2, 2};
  const auto ints = std::make_unique<IntScratch>();
  StringMemory kept(*ints);
  ByteBuffer out;
  append_shown({0, "|", fronts, characters}, StringContext(kept), out);
  const std::vector<std::uint8_t> good(out.data(), out.data() + out.size());
  const std::vector<std::uint8_t> expected = {0x1b, 0,   1,   '|', 0x11, 0x10, 1,   8,   '4', '1', ' ', '4', '2',
                                              ' ',  '|', '4', '3', ' ',  '4',  '4', ' ', '|', 2,   1,   2};
  EXPECT_EQ(good, expected);

  std::string_view strings[2];
  StringArena arena;
  const auto read = [&](const std::vector<std::uint8_t>& column, std::size_t own) {
    arena.clear();
    const std::span<const std::uint8_t> columns[] = {column, good};
    return read_shown(columns, own, 2, {}, &arena, strings);
  };
  ASSERT_TRUE(read(good, 0));
  EXPECT_EQ(strings[0], "41 42 |AB|");
  EXPECT_EQ(strings[1], "43 44 |CD|");
  const auto with = [&](std::size_t at, std::uint8_t byte) {
    std::vector<std::uint8_t> column = good;
    column[at] = byte;
    return read(column, 0);
  };
  EXPECT_FALSE(with(1, 1)) << "its own";
  EXPECT_FALSE(with(1, 2)) << "one that shows bytes itself";
  EXPECT_FALSE(with(1, 3)) << "none";
  EXPECT_FALSE(with(2, 17)) << "a longer tail than there may be";
  EXPECT_FALSE(with(good.size() - 1, 3)) << "more characters than bytes";
  std::vector<std::uint8_t> cut = good;
  while (cut.size() > 1) {
    cut.pop_back();
    ASSERT_FALSE(read(cut, 0)) << cut.size();
  }
  std::vector<std::uint8_t> longer = good;
  longer.push_back(0);
  EXPECT_FALSE(read(longer, 0));
  Rng rng(7);
  for (int i = 0; i < test::random_cases(20'000); ++i) {
    std::vector<std::uint8_t> damaged = good;
    for (std::size_t k = 1 + rng() % 3; k > 0; --k)
      damaged[1 + rng() % (damaged.size() - 1)] = static_cast<std::uint8_t>(rng());
    if (read(damaged, 0)) testing::expect_true(arena.facts(), {strings[0], strings[1]});
  }
}

}  // namespace
}  // namespace steno::format
