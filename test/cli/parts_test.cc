// Escapes, time stamps and patterns, without the command around them.
#include <gtest/gtest.h>

#include <random>

#include "escape.h"
#include "line_format.h"
#include "output.h"
#include "pattern.h"
#include "reader/loss_text.h"
#include "time_text.h"

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
