// Statements that log only some of their calls (steno/limit.h).
#include <steno/limit.h>

#include <string>
#include <thread>
#include <vector>

#include "log_test.h"

namespace steno_test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTail = " calls before this one were suppressed";

class LimitTest : public LogTest {};

// Returns how many calls a record reports as suppressed; 0: it is another record.
std::uint64_t suppressed(const std::string& message) {
  const std::size_t at = message.find(kTail);
  return at == std::string::npos ? 0 : std::stoull(message.substr(0, at));
}

TEST_F(LimitTest, OneOfSoMany) {
  start();
  int evaluated = 0;
  for (int i = 0; i < 250; ++i) {
    STENO_LOG_EVERY_N(WARN, 100, "call {} of {}", i, ++evaluated);
    STENO_LOGF_EVERY_N(INFO, 1, "each %d", i / 100);
  }
  EXPECT_EQ(evaluated, 3);
  const Log log = finish();
  std::vector<std::string> warnings;
  std::size_t each = 0;
  for (const Row& row : log.rows) {
    if (row.level == steno::Level::kWarn) warnings.push_back(row.message);
    each += row.level == steno::Level::kInfo ? 1 : 0;
  }
  EXPECT_EQ(warnings, (std::vector<std::string>{"call 0 of 1", "call 100 of 2", std::string("99") + kTail,
                                                "call 200 of 3", std::string("99") + kTail}));
  EXPECT_EQ(each, 250u);
  EXPECT_EQ(log.rows[0].line + 1, log.rows[1].line);
}

TEST_F(LimitTest, WhatIsSaidOfSuppressedCallsHasTheSamePlaceAndLogger) {
  start();
  const steno::Logger net = steno::logger("net");
  for (int i = 0; i < 4; ++i) STENO_LOGF_TO_EVERY_N(net, ERROR, 3, "call %d", i);
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 3u);
  EXPECT_EQ(log.rows[1].message, "call 3");
  EXPECT_EQ(log.rows[2].message, std::string("2") + kTail);
  EXPECT_EQ(log.rows[2].line, log.rows[1].line);
  EXPECT_EQ(log.rows[2].level, steno::Level::kError);
  EXPECT_EQ(log.rows[2].logger, "net");
}

TEST_F(LimitTest, FirstCallsOfManyThreads) {
  start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 10'000; ++i) {
        STENO_LOG_FIRST_N(INFO, 7, "one of seven");
        STENO_LOG_ONCE(INFO, "once");
        STENO_LOG_EVERY_N(INFO, 1000, "one of a thousand");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t sevens = 0;
  std::size_t once = 0;
  std::size_t thousands = 0;
  std::uint64_t left_out = 0;
  for (const std::string& message : messages()) {
    sevens += message == "one of seven" ? 1 : 0;
    once += message == "once" ? 1 : 0;
    thousands += message == "one of a thousand" ? 1 : 0;
    left_out += suppressed(message);
  }
  EXPECT_EQ(sevens, 7u);
  EXPECT_EQ(once, 1u);
  EXPECT_EQ(thousands, 40u);
  EXPECT_EQ(left_out, 39u * 999u);
}

// Each record says how many calls there were between it and the one before.
TEST_F(LimitTest, AtMostOneInATime) {
  start();
  for (int i = 0; i < 1000; ++i) STENO_LOG_EVERY(INFO, 1h, "hourly {}", i);
  int logged = 0;
  int calls = 0;
  for (; logged < 4; ++calls) STENO_LOG_EVERY(INFO, 500us, "call {}", (++logged, calls));
  int last = -1;
  std::vector<std::string> hourly;
  const std::vector<std::string> all = messages();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rfind("hourly ", 0) == 0) hourly.push_back(all[i]);
    if (all[i].rfind("call ", 0) != 0) continue;
    const int call = std::stoi(all[i].substr(5));
    const std::uint64_t between = i + 1 < all.size() ? suppressed(all[i + 1]) : 0;
    EXPECT_EQ(between, static_cast<std::uint64_t>(call - last - 1)) << all[i];
    last = call;
  }
  EXPECT_EQ(last, calls - 1);
  EXPECT_EQ(hourly, std::vector<std::string>{"hourly 0"});
}

TEST_F(LimitTest, SoManyAtOnceAndThenAtARate) {
  start();
  int slow = 0;
  int quick = 0;
  for (int i = 0; i < 1000; ++i) {
    STENO_LOG_AT_RATE(INFO, 0.001, 5, "slow {}", ++slow);
    STENO_LOGF_AT_RATE(INFO, 1e12, 1e6, "quick %d", ++quick);
    STENO_LOG_AT_RATE(INFO, 0, 0, "one in a century");
    STENO_LOG_AT_RATE(INFO, -1, 1e300, "bad numbers are the least or most there is");
  }
  EXPECT_EQ(slow, 5);
  EXPECT_EQ(quick, 1000);
  finish();
}

TEST_F(LimitTest, DisabledCallsDoNotCount) {
  start();
  steno::Logger quiet = steno::logger("quiet");
  quiet.set_level(steno::Level::kError);
  for (int i = 0; i < 5; ++i) {
    if (i == 3) quiet.set_level(steno::Level::kInfo);
    STENO_LOG_TO_EVERY_N(quiet, INFO, 10, "call {}", i);
    STENO_LOG_TO_ONCE(quiet, INFO, "first {}", i);
  }
  EXPECT_EQ(messages(), (std::vector<std::string>{"call 3", "first 3"}));
}

constexpr int evaluated_by_the_compiler(int x) {
  STENO_LOG_EVERY_N(INFO, 2, "x {}", x);
  STENO_LOG_TO_ONCE(steno::Logger(), INFO, "x {}", x);
  return x;
}
static_assert(evaluated_by_the_compiler(3) == 3);

}  // namespace
}  // namespace steno_test
