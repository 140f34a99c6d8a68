// Tests which statements are enabled, by rules for sessions, loggers, files, lines and texts.
#include <steno/logf.h>
#include <sys/wait.h>

#include <atomic>
#include <functional>
#include <thread>

#include "../sanitizers.h"
#include "log_test.h"

namespace steno_test {
namespace {

using steno::Level;
using steno::Logger;
using Messages = std::vector<std::string>;

class LevelsTest : public LogTest {
 protected:
  LevelsTest() { EXPECT_TRUE(steno::set_levels("reset,info").ok()); }
  ~LevelsTest() override { EXPECT_TRUE(steno::set_levels("reset,info").ok()); }

  void start_at(Level level, const std::string& rules = "") {
    steno::Options options;
    options.path = path();
    options.level = level;
    options.levels = rules;
    const steno::Status status = steno::try_start(options);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  static std::string line_rule(unsigned line, const std::string& level) {
    return "levels_test.cc:" + std::to_string(line) + "=" + level;
  }
};

TEST_F(LevelsTest, LoggersHaveTheLevelOfThoseAboveThem) {
  const Logger early = steno::logger("net.http");
  EXPECT_EQ(early.level(), Level::kInfo);
  Logger net = steno::logger("net");
  net.set_level(Level::kDebug);
  const Logger late = steno::logger("net.http.client");
  const Logger other = steno::logger("network");
  EXPECT_EQ(early.level(), Level::kDebug);
  EXPECT_EQ(late.level(), Level::kDebug);
  EXPECT_EQ(other.level(), Level::kInfo);
  EXPECT_TRUE(steno::set_levels("error,net.http=trace").ok());
  EXPECT_EQ(steno::level(), Level::kError);
  EXPECT_EQ(Logger().level(), Level::kError);
  EXPECT_EQ(net.level(), Level::kDebug);
  EXPECT_EQ(early.level(), Level::kTrace);
  EXPECT_EQ(late.level(), Level::kTrace);
  EXPECT_EQ(other.level(), Level::kError);
  EXPECT_TRUE(steno::set_levels("net.http=inherit").ok());
  EXPECT_EQ(late.level(), Level::kDebug);
  EXPECT_TRUE(steno::set_levels("net=inherit").ok());
  EXPECT_EQ(late.level(), Level::kError);
  steno::set_level(Level::kWarn);
  EXPECT_EQ(late.level(), Level::kWarn);
}

TEST_F(LevelsTest, TheLevelALoggerIsMadeWithYieldsToWhatItsNameWasGiven) {
  EXPECT_EQ(steno::logger("made", Level::kWarn).level(), Level::kWarn);
  EXPECT_EQ(steno::logger("made.below").level(), Level::kWarn);
  EXPECT_EQ(steno::logger("made").level(), Level::kWarn);
  EXPECT_EQ(steno::logger("made", Level::kError).level(), Level::kError);
  EXPECT_TRUE(steno::set_levels("made=debug,ruled=off").ok());
  EXPECT_EQ(steno::logger("made", Level::kError).level(), Level::kDebug);
  EXPECT_EQ(steno::logger("ruled", Level::kTrace).level(), steno::kLevelOff);
  steno::set_level(Level::kTrace);
  EXPECT_EQ(steno::logger("made").level(), Level::kDebug);
}

TEST_F(LevelsTest, AStatementIsSwitchedAlone) {
  start_at(Level::kInfo);
  const Logger quiet = steno::logger("quiet", steno::kLevelOff);
  constexpr unsigned kFirst = __LINE__ + 2;  // of the statements below
  const auto log = [&](int i) {
    STENO_TRACE("trace {}", i);
    STENO_ERROR("error {}", i);
    STENO_LOG_TO(quiet, DEBUG, "quiet {}", i);
    STENO_LOGF_TO(quiet, ERROR, "quiet error %d", i);
    steno::logf(quiet, Level::kInfo, "run time %d", i);
  };
  log(1);
  EXPECT_TRUE(steno::set_levels(line_rule(kFirst, "trace") + "," + line_rule(kFirst + 1, "off")).ok());
  log(2);
  EXPECT_TRUE(steno::set_levels(line_rule(kFirst + 2, "debug") + "," + line_rule(kFirst + 4, "info")).ok());
  log(3);
  EXPECT_TRUE(steno::set_levels("levels_test.cc=trace").ok());  // lines come first
  log(4);
  EXPECT_TRUE(steno::set_levels("reset").ok());
  log(5);
  const Log all = finish();
  Messages logged;
  for (const Row& row : all.rows) {
    logged.push_back(row.message);
    const bool named = row.message.find("quiet") == 0 || row.message.find("run") == 0;
    EXPECT_EQ(row.logger, named ? "quiet" : "") << row.message;
  }
  EXPECT_EQ(logged, (Messages{"error 1", "trace 2", "trace 3", "quiet 3", "run time 3", "trace 4", "quiet 4",
                              "quiet error 4", "run time 4", "error 5"}));
}

TEST_F(LevelsTest, TextsAndFilesAndTheirOrder) {
  start_at(Level::kInfo);
  const auto log = [](int i) {
    STENO_DEBUG("retry {} of {}", i, 3);
    STENO_INFO("connection lost, {}", i);
    STENO_WARN("other {}", i);
  };
  EXPECT_TRUE(steno::set_levels("levels_test.cc=error,retry*=debug,\"connection lost, {}\"=info").ok());
  log(1);
  EXPECT_TRUE(steno::set_levels("retry*=off,*{}=warn").ok());  // of equals the last
  log(2);
  EXPECT_TRUE(steno::set_levels("*=off").ok());
  log(3);
  EXPECT_TRUE(steno::set_levels("*=inherit,*{}=inherit,levels_test.cc=inherit").ok());
  log(4);
  EXPECT_EQ(messages(), (Messages{"retry 1 of 3", "connection lost, 1", "other 2", "connection lost, 4", "other 4"}));
}

TEST_F(LevelsTest, AClosedLoggerStaysClosed) {
  auto session = steno::Session::open({.path = path("own.steno")});
  ASSERT_TRUE(session.ok());
  const Logger logger = session->logger("own");
  EXPECT_TRUE(session->stop().ok());
  auto next = steno::Session::open({.path = path("next.steno")});  // in the same slot
  ASSERT_TRUE(next.ok());
  EXPECT_TRUE(steno::set_levels("levels_test.cc=trace,own=trace").ok());
  EXPECT_TRUE(next->set_levels("own=trace").ok());
  STENO_LOG_TO(logger, ERROR, "not here");
  steno::logf(logger, Level::kError, "nor this");
  EXPECT_FALSE(session->set_levels("info").ok());
  STENO_LOG_TO(next->logger("own"), TRACE, "here");
  EXPECT_TRUE(next->stop().ok());
  const Log log = read_log(path("next.steno"));
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].message, "here");
}

TEST_F(LevelsTest, SessionsHaveLevelsOfTheirOwn) {
  start_at(Level::kWarn, "net=error");
  auto session = steno::Session::open({.path = path("own.steno"), .level = Level::kInfo, .levels = "net=debug"});
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->logger("net.http").level(), Level::kDebug);
  EXPECT_EQ(session->logger("").level(), Level::kInfo);
  EXPECT_EQ(steno::logger("net.http").level(), Level::kError);
  EXPECT_TRUE(session->set_levels("trace,net=off").ok());
  EXPECT_EQ(session->logger("net.http").level(), steno::kLevelOff);
  EXPECT_EQ(session->logger("other").level(), Level::kTrace);
  EXPECT_EQ(steno::logger("net.http").level(), Level::kError);
  EXPECT_EQ(steno::level(), Level::kWarn);
  EXPECT_TRUE(session->stop().ok());
  auto again = steno::Session::open({.path = path("again.steno")});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->logger("net.http").level(), Level::kInfo) << "rules of a session that used the slot before";
}

TEST_F(LevelsTest, WrongRulesAreSaidAndTheOthersHold) {
  const steno::Status status = steno::set_levels("debug,net=loud,db=warn,:=");
  EXPECT_EQ(status.code(), steno::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("rule 2, 'net=loud', has 'loud', which is not a level"), std::string::npos)
      << status.message();
  EXPECT_EQ(steno::level(), Level::kDebug);
  EXPECT_EQ(steno::logger("db").level(), Level::kWarn);
  steno::Options options;
  options.path = path();
  options.levels = "net=loud";
  EXPECT_EQ(steno::try_start(options).code(), steno::StatusCode::kInvalidArgument);
}

TEST_F(LevelsTest, ManyRulesAreForgottenFromTheOldest) {
  for (int i = 0; i < 10; ++i) {
    std::string rules;
    for (int k = 1; k <= 500; ++k) rules += "x.cc:" + std::to_string(500 * i + k) + "=off,";
    rules.pop_back();
    EXPECT_TRUE(steno::set_levels(rules).ok());
  }
  start_at(Level::kInfo);
  STENO_INFO("still");
  EXPECT_EQ(messages(), Messages{"still"});
}

TEST_F(LevelsTest, NothingIsLostWhileRulesChange) {
  start_at(Level::kInfo);
  constexpr int kRecords = 20'000;
  std::atomic<bool> done{false};
  const Logger quiet = steno::logger("quiet", steno::kLevelOff);
  constexpr unsigned kLine = __LINE__ + 5;
  EXPECT_TRUE(steno::set_levels("own*=trace," + line_rule(kLine, "debug")).ok());
  const auto log = [&](int thread) {
    for (int i = 0; i < kRecords; ++i) {
      STENO_INFO("own {} {}", thread, i);
      STENO_LOG_TO(quiet, DEBUG, "line {} {}", thread, i);
      steno::logf(quiet, Level::kDebug, "own run time %d", i);
      if (i % 100 == 0) STENO_LOG_TO(steno::logger("made." + std::to_string(i)), ERROR, "made {}", i);
    }
  };
  std::thread changes([&] {
    for (int i = 0; !done; ++i) {
      const std::string odd = i % 2 == 0 ? "off" : "trace";
      (void)steno::set_levels("quiet.below=" + odd + ",other.cc=" + odd + ",never*=" + odd);
      steno::logger("late." + std::to_string(i % 50)).set_level(Level::kDebug);
      steno::set_level(i % 3 == 0 ? Level::kError : Level::kWarn);
    }
  });
  std::thread first(log, 1);
  log(2);
  first.join();
  done = true;
  changes.join();
  EXPECT_EQ(finish().rows.size(), static_cast<std::size_t>(2 * (3 * kRecords + kRecords / 100)));
}

TEST_F(LevelsTest, AForkedChildBeginsWithTheRulesOfItsParent) {
  if (::steno::test::kAddressSanitizer) GTEST_SKIP() << "its heap hangs in such children";
  std::atomic<bool> done{false};
  EXPECT_TRUE(steno::set_levels("net=debug").ok());
  const Logger http = steno::logger("net.http");
  std::thread changes([&] {
    while (!done) (void)steno::set_levels("a=off,a.cc=off");
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const bool same = http.level() == Level::kDebug && steno::logger("net.late").level() == Level::kDebug;
      _exit(same && steno::set_levels("net=error,b.cc=off").ok() && http.level() == Level::kError ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(http.level(), Level::kDebug);
  }
  done = true;
  changes.join();
}

}  // namespace
}  // namespace steno_test
