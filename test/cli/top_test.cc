// steno top, on processes that log meanwhile.
#include <fstream>

#include "../reader/file_builder.h"
#include "live_log.h"

namespace steno::test {
namespace {

class Top : public LiveLog {
 protected:
  // 'a': 1000 numbers; 'b': 10 texts of one byte to ten.
  static void act(char word) {
    const std::string text = "0123456789";
    for (int i = 0; word == 'a' && i < 1000; ++i) STENO_INFO("number {n}", i);
    for (std::size_t i = 1; word == 'b' && i <= 10; ++i) STENO_WARN("text {}", text.substr(0, i));
    if (word == 'e') STENO_ERROR("evil \x1b[31m");
  }
};

// The sum of a number that each round has of a statement; of the first: `only_last`.
std::uint64_t sum_of(const std::string& text, const std::string& format, const std::string& key, bool only_last) {
  std::uint64_t sum = 0;
  const std::string begin = "\"format\":\"" + format + "\"";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t value = text.find("\"" + key + "\":", at);
    if (value == std::string::npos) break;  // a line of which we have a part
    const std::uint64_t n = std::stoull(text.substr(value + key.size() + 3));
    sum = only_last ? n : sum + n;
  }
  return sum;
}

std::uint64_t sum_of(const std::string& text, const std::string& format, const std::string& key) {
  return sum_of(text, format, key, false);
}

TEST_F(Top, RoundsAddUpToWhatWasLogged) {
  start(act);
  tell('a');  // before it looks: not counted
  Background top({"top", "--json", "--interval", "50ms", log()});
  top.wait_for_lines(1);
  EXPECT_EQ(sum_of(top.text(), "number {n}", "records"), 0u);
  const auto wait_for = [&top](std::uint64_t numbers, std::uint64_t texts) {
    top.wait_until([=](const std::string& text) {
      return sum_of(text, "number {n}", "records") >= numbers && sum_of(text, "text {}", "records") >= texts;
    });
    EXPECT_EQ(sum_of(top.text(), "number {n}", "records"), numbers);
    EXPECT_EQ(sum_of(top.text(), "text {}", "records"), texts);
  };
  tell('a');
  tell('b');
  wait_for(1000, 10);
  for (int i = 0; i < 20; ++i) tell('a');
  wait_for(21000, 10);
  kill();  // dead, and another one
  start(act);
  tell('a');
  tell('b');
  wait_for(22000, 20);
  ASSERT_EQ(std::rename(log().c_str(), (directory_ + "/app.steno.1").c_str()), 0);
  tell('b');
  wait_for(22000, 30);
  end();
  start(act);
  tell('b');
  wait_for(22000, 40);
  EXPECT_EQ(top.stop(SIGTERM), 0);
  const std::string& text = top.text();
  EXPECT_EQ(sum_of(text, "number {n}", "records"), 22000u);  // nothing comes twice
  EXPECT_EQ(sum_of(text, "number {n}", "total_records", true), 22000u);
  // A record in the ring has 16 bytes and an int, or 16, a length and one byte to ten; in units of 8.
  EXPECT_EQ(sum_of(text, "number {n}", "bytes"), 22000u * 24);
  EXPECT_EQ(sum_of(text, "text {}", "bytes"), 4u * (4 * 24 + 6 * 32));
  EXPECT_NE(text.find("\"state\":\"running\",\"rings\":1"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// A log whose scribe was held up until a ring was nearly full.
TEST_F(Top, StatCountsBlocksThatWerePackedQuickly) {
  steno::Options options;
  options.scribe_thread = false;
  options.ring_bytes = 1 << 16;
  const auto act = [](char) {
    std::uint32_t random = 1;
    for (int i = 0; i < 540; ++i) {  // together more than three quarters of the ring
      std::string text;
      for (int k = 0; k < 16; ++k) {
        random = random * 1'664'525 + 1'013'904'223;
        text += " " + std::to_string(random >> 24 & 15) + "ab";
      }
      STENO_INFO("{}", text);
    }
    steno::flush();
  };
  start(act, options);
  tell('l');
  end();
  const Ran ran = run_steno({"stat", log()});
  EXPECT_NE(ran.out.find("  quick     1 of the blocks: the scribe fell behind"), std::string::npos) << ran.out;
  const Ran json = run_steno({"stat", "--json", log()});
  EXPECT_NE(json.out.find(",\"quick_blocks\":1,"), std::string::npos) << json.out;
}

TEST_F(Top, TablesWithoutATerminalHaveNoEscapes) {
  const pid_t pid = start(act);
  Background top({"top", "--interval", "50ms", std::to_string(pid)});
  top.wait_for_lines(1);
  tell('a');
  tell('b');
  tell('e');
  top.wait_for("evil");
  top.wait_until([](const std::string& text) { return text.rfind("1,011 records") != std::string::npos; });
  EXPECT_EQ(top.stop(SIGINT), 0);
  EXPECT_EQ(top.errors(), "");
  const std::string& text = top.text();
  EXPECT_NE(text.find("since the start 1,011 records, 24,304 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("  1,000  INFO      top_test.cc:"), std::string::npos) << text;
  EXPECT_NE(text.find("evil \\x1b[31m"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST_F(Top, SaysThatNobodyLogs) {
  const auto shown = [&] { return run_steno({"top", "--once", "--interval", "20ms", log()}).out; };
  const std::string nobody = "\nno process logs into it now; 'steno stat' shows which statements have filled it\n";
  start(act);
  tell('a');
  EXPECT_EQ(shown().find(nobody), std::string::npos) << shown();
  end();
  EXPECT_NE(shown().find(nobody), std::string::npos) << shown();
  start(act);
  kill();
  EXPECT_NE(shown().find(nobody), std::string::npos) << shown();
}

TEST_F(Top, EndsAfterItsRounds) {
  start(act);
  const Ran once = run_steno({"top", "--once", "--interval", "0.05", log()});
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_NE(once.out.find("RECORDS/S"), std::string::npos) << once.out;
  const Ran three = run_steno({"top", "--count", "3", "--interval", "20ms", "--json", log()});
  EXPECT_EQ(std::count(three.out.begin(), three.out.end(), '\n'), 3);
}

TEST_F(Top, AStagingDirectoryStandsForItsProcess) {
  start(act);
  const Ran found = run_shell("echo $STENO_STAGING/steno-*/[0-9]*");
  const std::string directory = found.out.substr(0, found.out.find('\n'));
  const Ran ran = run_steno({"top", "--once", "--interval", "20ms", directory});
  EXPECT_EQ(ran.code, 0) << directory << ran.err;
  EXPECT_EQ(ran.out.find(log()), 0u) << ran.out;
}

// `top` uses an alternate screen of a terminal, and everything is as it was afterwards.
TEST_F(Top, GivesTheTerminalBack) {
  start(act);
  for (const int signal : {0, SIGINT, SIGTERM}) {
    Background top({"top", "--interval", "50ms", log()}, Background::On::kTerminal);
    top.wait_for("RECORDS/S");
    EXPECT_EQ(top.text().find("\x1b[?1049h\x1b[?25l"), 0u);
    termios during{};
    ASSERT_EQ(::tcgetattr(top.fd(), &during), 0);
    EXPECT_EQ(during.c_lflag & (ICANON | ECHO), 0u);
    tell('e');
    top.wait_for("evil \\x1b[31m");
    if (signal == 0) top.type("q");
    EXPECT_EQ(top.stop(signal), 0) << top.text();
    termios after{};
    ASSERT_EQ(::tcgetattr(top.fd(), &after), 0);
    EXPECT_EQ(after.c_lflag & (ICANON | ECHO), tcflag_t{ICANON | ECHO});
    EXPECT_TRUE(top.text().ends_with("\x1b[?25h\x1b[?1049l")) << top.text();
    EXPECT_EQ(top.text().find("\x1b[31m"), std::string::npos);
  }
}

TEST_F(Top, LinesAreCutToTheTerminal) {
  start(act);
  Background top({"top", "--interval", "50ms", log()}, Background::On::kTerminal, {5, 40, 0, 0});
  top.wait_for("RECORDS/S");
  tell('a');
  top.wait_until([](const std::string& text) {
    const std::size_t at = text.find(" records/s", text.find(" records/s") + 1);
    return at != std::string::npos && text.substr(at - 3, 3).find(' ') == std::string::npos &&
           std::isdigit(static_cast<unsigned char>(text[at - 2]));
  });
  EXPECT_EQ(top.stop(SIGTERM), 0);
  std::string text = top.text();
  const std::string last = text.substr(text.rfind("\x1b[H"));
  EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 4) << last;
  EXPECT_EQ(last.find("number"), std::string::npos) << last;
}

TEST_F(Top, ReportsWhatItPassesOver) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "number {n}", "i");
  std::vector<std::size_t> ends;
  for (int n = 0; n < 30; ++n) {
    b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(n), Args().i32(n));
    if (n % 10 == 9) ends.push_back(b.flush().bytes().size());
  }
  std::string bytes = b.bytes();
  bytes[(ends[0] + ends[1]) / 2] ^= 1;
  const auto append = [&](std::size_t begin, std::size_t end) {
    std::ofstream(log(), std::ios::binary | std::ios::app) << bytes.substr(begin, end - begin);
  };
  append(0, ends[0]);
  Background top({"top", "--json", "--interval", "50ms", log()});
  top.wait_for_lines(1);
  append(ends[0], bytes.size());
  top.wait_until([](const std::string& text) { return sum_of(text, "number {n}", "records") >= 10; });
  EXPECT_EQ(top.stop(SIGTERM), 1);
  EXPECT_EQ(sum_of(top.text(), "number {n}", "records"), 10u);
  EXPECT_EQ(top.errors(),
            "steno: " + log() + ": part of it cannot be read and was skipped; 'steno verify' shows what\n");
}

TEST_F(Top, MistakesAreOneSentence) {
  const auto expect = [](std::vector<std::string> arguments, int code, const std::string& error) {
    arguments.insert(arguments.begin(), "top");
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, code) << error;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(error), std::string::npos) << ran.err;
  };
  expect({}, 2, "FILE is missing");
  expect({"/no/such.steno"}, 3, "/no/such.steno: no such file");
  expect({"999999999"}, 3, "999999999: no process that logs with steno; 'steno ps' lists them");
  expect({directory_}, 3, directory_);
  expect({"x.steno", "--interval", "soon"}, 2, "--interval: 'soon' is not a duration");
  expect({"x.steno", "--interval", "1us"}, 2, "--interval: 10ms is the shortest");
  expect({"x.steno", "--count", "0"}, 2, "--count");
}

}  // namespace
}  // namespace steno::test
