// A busy statement in a sink of text lines: some lines a second, and how many more there were.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "log_test.h"
#include "steno/log.h"
#include "steno/session.h"
#include "steno/sink.h"

namespace steno_test {
namespace {

class BusySinkTest : public LogTest {
 protected:
  ~BusySinkTest() override { steno::stop(); }
};

struct Counted {
  std::uint64_t lines = 0;      // of records
  std::uint64_t others = 0;     // of the quiet statement
  std::uint64_t held_back = 0;  // as lines say
};

Counted count_lines(const std::string& path) {
  Counted counted;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("busy ")) ++counted.lines;
    if (line == "quiet") ++counted.others;
    if (!line.starts_with("… ")) continue;
    EXPECT_NE(line.find(" more like this in 1 s: busy_sink_test.cc:"), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with(" 'busy {n}'")) << line;
    std::string digits = line.substr(std::string("… ").size(), line.find(" more") - std::string("… ").size());
    std::erase(digits, ',');
    counted.held_back += std::stoull(digits);
  }
  return counted;
}

// Whatever second a record falls into, it is a line or counted in one.
TEST_F(BusySinkTest, EachRecordIsALineOrCounted) {
  const steno::Status status = steno::try_start(
      {.path = path(),
       .sinks =
           {{.path = path("few.log"), .pattern = "{message}", .max_rate = 20, .when_full = steno::WhenFull::kBlock},
            {.path = path("all.log"), .pattern = "{message}", .when_full = steno::WhenFull::kBlock}},
       .block_at_most = steno::kForever});
  ASSERT_TRUE(status.ok()) << status.message();
  for (int i = 0; i < 5000; ++i) STENO_INFO("busy {n}", i);
  STENO_INFO("quiet");
  steno::stop();
  const Counted few = count_lines(path("few.log"));
  EXPECT_EQ(few.lines + few.held_back, 5000u);
  EXPECT_LT(few.lines, 2500u);
  EXPECT_GE(few.lines, 20u);
  EXPECT_EQ(few.others, 1u);
  const Counted all = count_lines(path("all.log"));
  EXPECT_EQ(all.lines, 5000u);
  EXPECT_EQ(all.held_back, 0u);
}

// Its second has gone by: no later line of the sink is waited for.
TEST_F(BusySinkTest, TheCountComesWhileRecordsOfLowerLevelsGoOn) {
  steno::Options options;
  options.path = path();
  options.level = steno::Level::kDebug;
  options.flush_interval = std::chrono::milliseconds(1);
  steno::SinkOptions& sink = options.sinks.emplace_back();
  sink.path = path("few.log");
  sink.level = steno::Level::kWarn;
  sink.pattern = "{message}";
  sink.max_rate = 20;
  sink.when_full = steno::WhenFull::kBlock;
  ASSERT_TRUE(steno::start(options));
  for (int i = 0; i < 500; ++i) STENO_WARN("busy {n}", i);
  Counted few;
  for (int i = 0; i < 5000 && few.lines + few.held_back < 500; ++i) {
    STENO_DEBUG("for the file alone");
    usleep(4'000);
    if (i % 50 == 0) few = count_lines(path("few.log"));
  }
  EXPECT_EQ(few.lines + few.held_back, 500u);
}

TEST_F(BusySinkTest, OnlyLinesOfTextAreCounted) {
  const auto why = [&](steno::SinkOptions sink) {
    sink.max_rate = 5;
    return std::string(steno::try_start({.path = path(), .sinks = {std::move(sink)}}).message());
  };
  const std::string expected = "max_rate works only with text lines on a console or in a file";
  EXPECT_NE(why({.path = path("x.json"), .format = steno::LineFormat::kJson}).find(expected), std::string::npos);
  EXPECT_NE(why({.callback = [](const steno::Line&) {}}).find(expected), std::string::npos);
}

}  // namespace
}  // namespace steno_test
