// Escapes, time stamps and patterns, without the command around them.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>

#include "lines/escape.h"
#include "lines/line_format.h"
#include "lines/pattern.h"
#include "lines/time_text.h"
#include "output/output.h"
#include "reader/loss_text.h"
#include "text/utf8.h"

namespace steno::cli {
namespace {

std::string text_of(const ByteBuffer& out) {
  return std::string(reinterpret_cast<const char*>(out.data()), out.size());
}

std::string csv(std::string_view text) {
  ByteBuffer out;
  append_csv(text, out);
  return text_of(out);
}

TEST(Escape, Controls) {
  EXPECT_EQ(escaped("plain text, tab\tkept", Escape::kControls), "plain text, tab\tkept");
  EXPECT_EQ(escaped("a\nb\r\x1b[1m\x7f", Escape::kControls), "a\\nb\\r\\x1b[1m\\x7f");
  EXPECT_EQ(escaped(std::string_view("\0x", 2), Escape::kControls), "\\x00x");
  EXPECT_EQ(escaped("caf\xc3\xa9 \xff", Escape::kControls), "caf\xc3\xa9 \xff");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m \xc2\xb0",
                    Escape::kControls),
            "\\u009b31m \xc2\xb0");
  EXPECT_EQ(escaped("a\nb", Escape::kRaw), "a\nb");
}

TEST(Escape, Terminal) {
  EXPECT_EQ(escaped("caf\xc3\xa9 \xff\x9b", Escape::kTerminal), "caf\xc3\xa9 \\xff\\x9b");
  EXPECT_EQ(escaped("a\xe2\x80\xae"
                    "b",
                    Escape::kTerminal),
            "a\\u202eb");
  EXPECT_EQ(escaped("\xed\xa0\x80", Escape::kTerminal), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(escaped("\xf0\x9f\x99\x82", Escape::kTerminal), "\xf0\x9f\x99\x82");
}

// Long texts are copied many bytes at a time; each character alone is not.
TEST(Escape, OfATextIsThatOfItsCharacters) {
  const std::vector<std::string> characters = {"a",
                                               "b",
                                               " ",
                                               ",",
                                               "\"",
                                               "\\",
                                               "\n",
                                               "\r",
                                               "\t",
                                               std::string(1, '\0'),
                                               "\x1b",
                                               "\x7f",
                                               "\xc2\x9b",
                                               "\xc3\xa9",
                                               "\xe2\x80\xae",
                                               "\xf0\x9f\x99\x82",
                                               "\xff"};
  std::minstd_rand random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string whole;
    std::string json;
    std::string terminal;
    std::string quoted;
    const std::size_t rare = 2 + random() % 60;  // most are letters
    for (std::size_t n = random() % 100; n > 0; --n) {
      const std::string& one = characters[random() % rare == 0 ? random() % characters.size() : random() % 2];
      whole += one;
      json += json_escaped(one);
      terminal += escaped(one, Escape::kTerminal);
      const std::string alone = csv(one);
      quoted += alone.front() == '"' ? alone.substr(1, alone.size() - 2) : alone;
    }
    ASSERT_EQ(json_escaped(whole), json);
    ASSERT_EQ(escaped(whole, Escape::kTerminal), terminal);
    const std::string field = csv(whole);
    ASSERT_EQ(field.front() == '"' ? field.substr(1, field.size() - 2) : field, quoted) << field;
  }
}

TEST(Escape, WhatIsNotSeenIsSpeltOut) {
  std::vector<std::uint32_t> unseen = {0x00AD, 0x061C, 0x200B, 0x200C,  0x200D,  0x200E,  0x200F,  0x2028, 0x2029,
                                       0x2060, 0x2064, 0x2065, 0x206F,  0x3164,  0xFEFF,  0xFFF9,  0xFFFB, 0x115F,
                                       0x180E, 0x034F, 0xFFA0, 0x1D173, 0xE0001, 0xE007F, 0xE0100, 0xE0FFF};
  for (std::uint32_t code = 0x202A; code <= 0x202E; ++code) unseen.push_back(code);
  for (std::uint32_t code = 0x2066; code <= 0x2069; ++code) unseen.push_back(code);
  for (const std::uint32_t code : unseen) {
    std::uint8_t bytes[text::kMaxUtf8Size];
    const std::size_t size = text::encode_utf8(code, bytes);
    const std::string character(reinterpret_cast<char*>(bytes), size);
    char spelt[16];
    std::snprintf(spelt, sizeof spelt, code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
    EXPECT_EQ(escaped("a" + character + "b", Escape::kTerminal), std::string("a") + spelt + "b");
    EXPECT_EQ(json_escaped(character).find_first_not_of("\\u0123456789abcdef"), std::string::npos) << spelt;
  }
  EXPECT_EQ(json_escaped("\xf3\xa0\x80\x81"), "\\udb40\\udc01");
  for (const char* seen : {"\xc3\xa4", "\xe2\x82\xac", "\xe2\x9d\xa4\xef\xb8\x8f", "\xe4\xb8\xad", "\xd8\xb9",
                           "\xf0\x9f\x99\x82", "\xf3\xb0\x80\x80"}) {
    EXPECT_EQ(escaped(seen, Escape::kTerminal), seen);
  }
}

TEST(Escape, NoControlSurvivesAnywhere) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a' + random() % 26);
    for (const Escape escape : {Escape::kControls, Escape::kTerminal}) {
      ByteBuffer out;
      put(out, "\n");
      put(out, text);
      escape_tail(out, 1, escape);
      const std::string result = text_of(out);
      EXPECT_EQ(result.substr(1), escaped(text, escape));
      for (const char c : result.substr(1)) {
        const auto byte = static_cast<unsigned char>(c);
        ASSERT_FALSE((byte < 0x20 && byte != '\t') || byte == 0x7F);
      }
    }
  }
}

TEST(Escape, Json) {
  EXPECT_EQ(json_escaped("plain"), "plain");
  EXPECT_EQ(json_escaped("q\" b\\ n\n t\t e\x1b"), "q\\\" b\\\\ n\\n t\\t e\\u001b");
  EXPECT_EQ(json_escaped("\xff"
                         "a\xc3"),
            "\xEF\xBF\xBD"
            "a\xEF\xBF\xBD");
  EXPECT_EQ(json_escaped("short\""), "short\\\"");
}

TEST(Escape, Csv) {
  EXPECT_EQ(csv("plain"), "plain");
  EXPECT_EQ(csv("a,b"), "\"a,b\"");
  EXPECT_EQ(csv("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv(""), "");
  EXPECT_EQ(csv("caf\xc3\xa9"), "caf\xc3\xa9");
}

// Programs that read tables refuse a whole file for one invalid byte.
TEST(Escape, CsvIsAlwaysUtf8WithoutNul) {
  EXPECT_EQ(csv("a\xff\"\xc3"), "\"a\xEF\xBF\xBD\"\"\xEF\xBF\xBD\"");
  EXPECT_EQ(csv(std::string_view("\0x", 2)), "\"\xEF\xBF\xBDx\"");
  EXPECT_EQ(csv("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  std::mt19937_64 random(9);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random() % 2 == 0 ? random() : 'a' + random() % 26);
    const std::string field = csv(text);
    const auto* p = reinterpret_cast<const std::uint8_t*>(field.data());
    for (std::size_t i = 0; i < field.size();) {
      std::uint32_t code = 0;
      const std::size_t size = text::decode_utf8(p + i, field.size() - i, &code);
      ASSERT_TRUE(size != 0 && code != 0);
      i += size;
    }
  }
}

TEST(TimeText, AgreesWithTheCalendar) {
  std::mt19937_64 random(4);
  TimeText time(Zone::kUtc, 'T');
  std::vector<std::int64_t> samples = {0, -1, 1, 999'999'999, 1'000'000'000, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  for (int i = 0; i < 20'000; ++i) samples.push_back(static_cast<std::int64_t>(random()));
  for (int i = 0; i < 1000; ++i) samples.push_back(1'800'000'000'000'000'000 + i * std::int64_t{7'777'777});
  for (const std::int64_t wall : samples) {
    ByteBuffer out;
    time.append(wall, out);
    ASSERT_EQ(text_of(out), reader::iso_time(wall));
  }
}

TEST(TimeText, HasFewerDigitsInEachStyle) {
  std::mt19937_64 random(5);
  for (const auto& [name, digits] : {std::pair<const char*, std::size_t>{"ms", 3}, {"us", 6}, {"ns", 9}}) {
    TimeText time(Zone::kUtc, 'T', lines::TimeStyle::parse(name).value());
    for (int i = 0; i < 5000; ++i) {
      const auto wall = static_cast<std::int64_t>(random());
      ByteBuffer out;
      time.append(wall, out);
      ASSERT_EQ(text_of(out), reader::iso_time(wall).substr(0, 20 + digits) + "Z");
    }
  }
}

// While a log is followed, each look at it writes its lines anew.
TEST(TimeText, ADistanceIsFromTheRecordBeforeWhoeverWroteIt) {
  const auto style = lines::TimeStyle::parse("delta").value();
  ByteBuffer out;
  for (const std::int64_t wall : {5, 12, 10}) TimeText(Zone::kUtc, 'T', style).append(wall, out);
  EXPECT_EQ(text_of(out), "+0.000000000+0.000000007-0.000000002");
}

TEST(TimeText, DistancesHaveSigns) {
  TimeText delta(Zone::kUtc, 'T', lines::TimeStyle::parse("delta").value());
  std::string text;
  for (const std::int64_t wall :
       {std::int64_t{5}, std::int64_t{1'000'000'007}, std::int64_t{1}, INT64_MAX, INT64_MIN + 1}) {
    ByteBuffer out;
    delta.append(wall, out);
    text += text_of(out) + " ";
  }
  EXPECT_EQ(text, "+0.000000000 +1.000000002 -1.000000006 +9223372036.854775806 -18446744073.709551614 ");
}

TEST(TimeText, TheEpochIsThatOfNoZone) {
  const char* const zone = std::getenv("TZ");
  const std::string before = zone != nullptr ? zone : "";
  setenv("TZ", "CET-1", 1);
  tzset();
  for (const Zone of : {Zone::kUtc, Zone::kLocal}) {
    TimeText time(of, 'T', lines::TimeStyle::parse("%s.%3f").value());
    ByteBuffer out;
    time.append(1'795'831'201'250'000'000, out);
    EXPECT_EQ(text_of(out), "1795831201.250");
  }
  zone != nullptr ? setenv("TZ", before.c_str(), 1) : unsetenv("TZ");
  tzset();
}

// A zone's name may be longer than any that a pattern reckons with.
TEST(TimeText, IsCutWhereItHasNoRoom) {
  const char* const zone = std::getenv("TZ");
  const std::string before = zone != nullptr ? zone : "";
  setenv("TZ", ("<" + std::string(43, 'A') + ">0").c_str(), 1);
  tzset();
  TimeText time(Zone::kLocal, 'T', lines::TimeStyle::parse("%Z%f%Z%f").value());
  const auto room = std::make_unique<char[]>(TimeText::kRoom);  // so that a sanitizer sees a byte too many
  const char* const end = time.write(1'795'831'201'250'000'000, room.get());
  EXPECT_EQ(std::string(room.get(), static_cast<std::size_t>(end - room.get())), std::string(43, 'A') + "25000");
  zone != nullptr ? setenv("TZ", before.c_str(), 1) : unsetenv("TZ");
  tzset();
}

TEST(TimeStyle, RefusesWhatIsNone) {
  for (const char* bad : {"", "hours", "%", "%3", "%Q", "%3S", "%4f", "12:00", "%B%B%B%B%B%B"})
    EXPECT_FALSE(lines::TimeStyle::parse(bad).ok()) << bad;
  for (const char* good : {"s", "delta", "%f", "%H%%", "%F %T.%6f%z"})
    EXPECT_TRUE(lines::TimeStyle::parse(good).ok()) << good;
}

TEST(Pattern, Parses) {
  const auto pieces = parse_pattern("{time} {{x}} {message}\\t\\n\\\\\\q");
  ASSERT_TRUE(pieces.ok());
  ASSERT_EQ(pieces->size(), 4u);
  EXPECT_EQ((*pieces)[0].field, Field::kTime);
  EXPECT_EQ((*pieces)[1].literal, " {x} ");
  EXPECT_EQ((*pieces)[2].field, Field::kMessage);
  EXPECT_EQ((*pieces)[3].literal, "\t\n\\\\q");
  EXPECT_TRUE(parse_pattern("").ok());
  for (const char* bad : {"{", "}", "{}", "{time ", "{time:5}", "a}b"}) EXPECT_FALSE(parse_pattern(bad).ok()) << bad;
}

}  // namespace
}  // namespace steno::cli
