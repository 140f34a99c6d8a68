// steno/spdlog.h: calls as records with types, sinks, levels, patterns.
#include <fmt/format.h>
#include <steno/reader.h>
#include <steno/spdlog.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "log_test.h"

namespace steno_test {
namespace {

struct Shape {
  int sides;
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << "shape of " << shape.sides;
}

class SpdlogTest : public LogTest {
 protected:
  void TearDown() override {
    spdlog::drop_all();
    LogTest::TearDown();
  }
  // Returns a file's text, once nobody has its logger any more.
  static std::string text_of(const std::string& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  struct Found {
    std::string message;
    std::string types;
    std::string format;
    unsigned line;
    steno::Level level;
    std::string logger;
  };
  static std::vector<Found> records_of(const std::string& file) {
    std::vector<Found> found;
    auto reader = steno::LogReader::open({file});
    EXPECT_TRUE(reader.ok());
    if (!reader.ok()) return found;
    reader->for_each([&](const steno::Record& record) {
      const steno::SiteFacts site = record.site();
      found.push_back({record.message(), std::string(site.types), std::string(site.format), site.line, record.level(),
                       std::string(record.logger())});
    });
    return found;
  }
};

TEST_F(SpdlogTest, CallsAreRecordsWithTypes) {
  const std::string file = path("typed.steno");
  auto log = spdlog::steno_logger("net.http", file);
  const int line = __LINE__ + 1;
  log->info("took {} ms, {:.1f} % of {}", 5, 2.25, std::string("all"));
  for (int i = 0; i < 3; ++i) log->warn("{1} of {0}", i, "x");
  log->error("{} {}", std::chrono::milliseconds(7), std::vector<int>{1, 2});
  log->critical("{}", Shape{3});
  log->info("no {} here");
  log->debug("not enabled {}", 1);
  log->log(spdlog::level::warn, "level {}", 1);
  SPDLOG_LOGGER_INFO(log, "macro {}", 'c');
  SPDLOG_LOGGER_ERROR(log, 42);
  SPDLOG_LOGGER_DEBUG(log, "stripped {}", 1);
  const std::string format = "at run time {}";
  log->info(format, 1U);
  log.reset();
  spdlog::drop_all();
  const std::vector<Found> found = records_of(file);
  ASSERT_EQ(found.size(), 11u);
  EXPECT_EQ(found[0].message, "took 5 ms, 2.2 % of all");
  EXPECT_EQ(found[0].types, "idS");
  EXPECT_EQ(found[0].format, "took {} ms, {:.1f} % of {}");
  EXPECT_EQ(found[0].line, static_cast<unsigned>(line));
  EXPECT_EQ(found[0].level, steno::Level::kInfo);
  EXPECT_EQ(found[0].logger, "net.http");
  EXPECT_EQ(found[3].message, "x of 2");
  EXPECT_EQ(found[4].message, "7ms [1, 2]");
  EXPECT_EQ(found[5].message, "shape of 3");
  EXPECT_EQ(found[5].level, steno::Level::kCritical);
  EXPECT_EQ(found[6].message, "no {} here");
  EXPECT_EQ(found[6].line, static_cast<unsigned>(line + 4));
  EXPECT_EQ(found[7].level, steno::Level::kWarn);
  EXPECT_EQ(found[8].message, "macro c");
  EXPECT_EQ(found[9].message, "42");
  EXPECT_EQ(found[9].level, steno::Level::kError);
  EXPECT_EQ(found[10].types, "j");
}

TEST_F(SpdlogTest, AFormatWithAZeroByteIsLoggedWhole) {
  const std::string file = path("zero.steno");
  auto log = spdlog::steno_logger("zero", file);
  log->info(std::string("a {}\0 b {}", 10), 5, 6);
  log.reset();
  spdlog::drop_all();
  const std::vector<Found> found = records_of(file);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find(" 5 6"), std::string::npos) << found[0].message;
  EXPECT_EQ(found[0].types, "Sii");
}

TEST_F(SpdlogTest, FormatsThatDoNotFitAreLoggedWithTheirArguments) {
  const std::string file = path("odd.steno");
  auto log = spdlog::steno_logger("odd", file);
  const std::string wants_more = "two {} {}";
  log->info(wants_more, 1);
  log->info(std::string("{:x}"), "text");
  log->info("one {}", "string");
  log->info(std::string("{"), std::chrono::seconds(5));
  steno::set_most_formats(0);
  for (int i = 0; i < 20; ++i) log->info("made of data " + std::to_string(i) + " {}", i);
  steno::set_most_formats(1000);
  log.reset();
  spdlog::drop_all();
  const std::vector<Found> found = records_of(file);
  ASSERT_EQ(found.size(), 24u);
  EXPECT_EQ(found[0].message, "two {} {} 1");
  EXPECT_EQ(found[1].message, "{:x} text");
  EXPECT_EQ(found[2].message, "one string");
  EXPECT_EQ(found[3].message, "{ 5s");
  EXPECT_EQ(found[23].message, "made of data 19 {} 19");
  EXPECT_EQ(found[23].types, "Si");
}

// Once a process: this is one of its own.
TEST_F(SpdlogTest, ThatFormatsAreTooManyIsAWarning) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto log_formats = [this] {
    auto log = spdlog::steno_logger("many", path("many.steno"));
    steno::set_most_formats(0);
    for (int i = 0; i < 20; ++i) log->info("made of data " + std::to_string(i) + " {}", i);
    log.reset();
    spdlog::drop_all();
    std::exit(0);
  };
  EXPECT_EXIT(log_formats(), ::testing::ExitedWithCode(0),
              "more than 0 formats were made at run time.*set_most_formats");
}

TEST_F(SpdlogTest, SinksHaveLevelsAndPatterns) {
  std::vector<std::string> called;
  {
    auto plain = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path("logs/plain.txt"), true);
    plain->set_pattern("%v|%n|%l");
    auto warnings = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path("logs/warn.txt"), 1 << 20, 3);
    warnings->set_level(spdlog::level::warn);
    warnings->set_pattern("%v");
    auto call = std::make_shared<spdlog::sinks::callback_sink_mt>(
        [&](const spdlog::details::log_msg& message) { called.emplace_back(message.payload); });
    spdlog::logger logger("both", {plain, warnings, call});
    logger.set_level(spdlog::level::debug);
    EXPECT_TRUE(logger.should_log(spdlog::level::debug));
    EXPECT_FALSE(logger.should_log(spdlog::level::trace));
    logger.debug("one {}", 1);
    logger.warn("two");
    logger.trace("three {}", 3);
    logger.flush();
    auto other = logger.clone("other");
    other->error("four");
  }
  EXPECT_EQ(text_of(path("logs/plain.txt")), "one 1|both|DEBUG\ntwo|both|WARN\nfour|other|ERROR\n");
  EXPECT_EQ(text_of(path("logs/warn.txt")), "two\nfour\n");
  EXPECT_EQ(called, (std::vector<std::string>{"one 1", "two", "four"}));
}

TEST_F(SpdlogTest, TheRegistryKnowsLoggers) {
  auto log = spdlog::basic_logger_mt<spdlog::async_factory>("known", path("known.txt"));
  EXPECT_EQ(spdlog::get("known"), log);
  EXPECT_EQ(spdlog::get("unknown"), nullptr);
  EXPECT_THROW(spdlog::basic_logger_mt("known", path("other.txt")), spdlog::spdlog_ex);
  EXPECT_THROW(spdlog::basic_logger_mt("none", "/proc/none/log.txt"), spdlog::spdlog_ex);
  spdlog::set_default_logger(log);
  spdlog::set_pattern("%v");
  spdlog::set_level(spdlog::level::err);
  spdlog::info("not {}", 1);
  spdlog::error("is {}", 1);
  spdlog::cfg::load_levels("warn,known=trace");
  SPDLOG_INFO("by macro {}", 2);
  spdlog::trace("traced");
  int count = 0;
  spdlog::apply_all([&](const std::shared_ptr<spdlog::logger>&) { ++count; });
  EXPECT_GE(count, 1);
  log.reset();
  spdlog::shutdown();
  EXPECT_EQ(text_of(path("known.txt")), "is 1\nby macro 2\ntraced\n");
  spdlog::set_level(spdlog::level::info);
}

TEST_F(SpdlogTest, PatternsAreTranslated) {
  using spdlog::details::pattern_of;
  EXPECT_EQ(pattern_of("%+", true), "[{time}] [{logger}] [{level}] {message}");
  EXPECT_EQ(pattern_of("", false), "[{time}] [{level}] {message}");
  EXPECT_EQ(pattern_of("[%Y-%m-%d %H:%M:%S.%e] [%^%l%$] [thread %t] %v", true),
            "[{time}] [{level}] [thread {tid}] {message}");
  EXPECT_EQ(pattern_of("%n: %v {%s:%#} 100%%", true), "{logger}: {message} {{{basename}:{line}}} 100%");
  EXPECT_EQ(pattern_of("%-8l %!", true), "{level} {function}");
  EXPECT_EQ(pattern_of("%v%", true), "{message}");
}

TEST_F(SpdlogTest, ManyThreadsLogOneFormat) {
  const std::string file = path("threads.steno");
  auto log = spdlog::steno_logger("threads", file);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 500; ++i) log->info("thread {} says {}", t, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  log.reset();
  spdlog::drop_all();
  const std::vector<Found> found = records_of(file);
  EXPECT_EQ(found.size(), 2000u);
  for (const Found& one : found) EXPECT_EQ(one.format, "thread {} says {}");
}

}  // namespace
}  // namespace steno_test
