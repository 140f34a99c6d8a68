// Tests that output on a terminal of 80 columns fits into it, whatever was logged.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "../reader/file_builder.h"
#include "live_log.h"

namespace steno {
namespace {

using test::Args;
using test::Background;
using test::FileBuilder;

class Width : public test::LiveLog {
 protected:
  Width() {
    write("before.steno", sample(1));
    write("after.steno", sample(3));
    std::filesystem::current_path(directory_);
  }
  ~Width() override { std::filesystem::current_path("/"); }

  // Long formats and names, long texts as keys, large numbers; `slower`: the pairs take so many times as long.
  static std::string sample(std::uint64_t slower) {
    const std::string words = "of a statement that says very much about what it does, and that in many words, ";
    FileBuilder b;
    b.session().thread(0, 1, "a thread with a name that is rather long").thread(1, 2, "worker");
    b.site(16, Level::kCritical, words + words + "{number} and {text} and {fraction}", "mSd", 123456);
    b.site(17, Level::kInfo, "sent " + words + "{a_key_with_a_long_name}", "S", 654321);
    b.site(18, Level::kInfo, "acked " + words + "{a_key_with_a_long_name}", "S", 654322);
    b.site(19, Level::kNotice, slower == 1 ? "old " + words : "new " + words, "", 19);
    std::uint64_t at = FileBuilder::kStart;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::string key = "a long key that is text: " + words + std::to_string(i);
      b.log(0, 16, at += 1'000'000, Args().u64(UINT64_MAX - i % (7 * slower)).text(words + words).f64(1e300 / slower));
      b.log(0, 17, at += 1'000'000, Args().text(key));
      b.log(1, 18, at += 123'456'789 * slower, Args().text(key));
      if (i % slower == 0) b.log(0, 19, at += 1000);
      if (i % 500 == 0) b.flush();
    }
    return b.end().bytes();
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(directory_ + "/" + name, std::ios::binary) << bytes;
  }

  static std::size_t width_of(const std::string& line) {
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80 && c != '\r' ? 1 : 0;
    return width;
  }
  static void expect_fits(const std::string& text, std::size_t columns) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), columns) << line;
  }
  // Returns the text without sequences that move the cursor.
  static std::string plain(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\x1b') {
        at = text.find_first_of("ABCDHJKhlm", at);
        if (at == std::string::npos) break;
        if (text[at] == 'H') out += '\n';
      } else {
        out += text[at];
      }
    }
    return out;
  }
  static std::string print(const std::vector<std::string>& arguments, unsigned short columns = 80) {
    Background command(arguments, Background::On::kTerminal, {24, columns, 0, 0});
    EXPECT_EQ(command.stop(0), 0) << command.text();
    return command.text();
  }
};

TEST_F(Width, OfStat) {
  const std::string text = print({"stat", "--columns", "before.steno"});
  expect_fits(text, 80);
  for (const char* part : {"12,000", "CRITICAL", ":123456  of a statement", "text (S): ", "last seen"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_NE(print({"stat", "before.steno"}, 300).find("{a_key_with_a_long_name}"), std::string::npos);
}

TEST_F(Width, OfPair) {
  const std::string text = print({"pair", "before.steno", "sent", "acked", "--key", "a_key_with_a_long_name"});
  expect_fits(text, 80);
  for (const char* part : {"pairs", "3,000", "p99.9", "max", "123.5 ms", "slowest", "a long key", "…"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(Width, OfDiff) {
  const std::string text = print({"diff", "before.steno", "after.steno"});
  expect_fits(text, 80);
  for (const char* part : {"load ", "new ", "gone ", "argument ", "fraction"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(Width, OfAgg) {
  const std::string text = print({"agg", "before.steno", "and {text} and", "--arg", "number", "--by", "text", "--op",
                                  "count,min,mean,p50,p99,max"});
  expect_fits(text, 80);
  EXPECT_NE(text.find("18,446,744,073,709,551,615"), std::string::npos) << text;
}

TEST_F(Width, OfTop) {
  const auto log_much = [](char) {
    for (int i = 0; i < 2'000'000; ++i) STENO_INFO("a format that is rather long, as some of them are, {number}", i);
  };
  start(log_much);
  Background top({"top", "--interval", "50ms", log()}, Background::On::kTerminal, {24, 80, 0, 0});
  top.wait_for("RECORDS/S");  // else all may be logged before its first look
  tell('x');
  top.wait_for("a format that");  // as much as there is room for
  EXPECT_EQ(top.stop(SIGINT), 0);
  const std::string text = plain(top.text());
  expect_fits(text, 80);
  EXPECT_NE(text.find(" bytes\r"), std::string::npos) << text;
  EXPECT_NE(text.find("a format that"), std::string::npos) << text;
}

}  // namespace
}  // namespace steno
