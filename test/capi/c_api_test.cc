// The C API (steno/c.h): statements, sessions, options, errors.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <steno/c.h>
#include <steno/detail/c_record.h>
#include <steno/session.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../session/log_test.h"
#include "registry/registry.h"
#include "statements.h"
#include "wire/dictionary.h"

namespace steno_test {
namespace {

class CApiTest : public LogTest {
 protected:
  void expect_all() {
    const std::vector<std::string> expected(c_expected, c_expected + c_expected_count);
    EXPECT_EQ(messages(), expected);
  }
};

TEST_F(CApiTest, GeneratedFormatsPrintAsSnprintfDoes) {
  c_expected_count = 0;
  start();
  c_log_generated();
  EXPECT_EQ(c_expected_count, 400u);
  expect_all();
}

TEST_F(CApiTest, BoundedWideAndPositionalArgumentsPrintAsSnprintfDoes) {
  c_expected_count = 0;
  start();
  c_log_special();
  expect_all();
}

TEST_F(CApiTest, BracesTakeAllTypes) {
  start();
  std::vector<std::string> expected;
  for (const char* const* text = c_log_types(); *text != nullptr; ++text) expected.emplace_back(*text);
  EXPECT_EQ(messages(), expected);
}

TEST_F(CApiTest, ThirtyTwoArguments) {
  start();
  c_log_many_arguments();
  std::string sixteen;
  std::string all;
  for (int i = 1; i <= 32; ++i) {
    all += (i == 1 ? "" : " ") + std::to_string(i);
    if (i == 16) sixteen = all;
  }
  EXPECT_EQ(messages(), (std::vector<std::string>{sixteen, all}));
}

TEST_F(CApiTest, ArgumentsAreEvaluatedOnceAndNotWhereDisabled) {
  start();
  EXPECT_EQ(c_log_evaluations(), 4);
  EXPECT_EQ(messages(), (std::vector<std::string>{"1", "2", "abc", "4"}));
}

TEST_F(CApiTest, AWrongFormatInBracesIsOneWarningAndLoggedAsItStands) {
  std::vector<std::string> warnings;
  steno_options options;
  STENO_OPTIONS(&options);
  options.on_warning = [](void* to, const char* text) { static_cast<std::vector<std::string>*>(to)->push_back(text); };
  options.warning_context = &warnings;
  ASSERT_EQ(steno_start(path().c_str(), &options), STENO_OK);
  c_log_wrong_formats();
  steno_stop();
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_NE(warnings[0].find("\"{} and {}\""), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("more fields than there are arguments"), std::string::npos) << warnings[0];
  EXPECT_EQ(messages(), (std::vector<std::string>{"{} and {}", "{:d}", "{", "{} and {}", "{:d}", "{"}));
}

TEST_F(CApiTest, LevelsAndLoggers) {
  start();
  steno_logger* logger = steno_get_logger("c.logger");
  ASSERT_NE(logger, nullptr);
  EXPECT_EQ(steno_get_logger("c.logger"), logger);
  steno_logger_set_level(logger, STENO_LEVEL_INFO);
  EXPECT_EQ(steno_logger_get_level(logger), STENO_LEVEL_INFO);
  EXPECT_TRUE(steno_logger_enabled(logger, STENO_LEVEL_WARN));
  EXPECT_FALSE(steno_logger_enabled(logger, STENO_LEVEL_DEBUG));
  c_log_levels(logger);
  const std::vector<Row> rows = finish().rows;
  ASSERT_EQ(rows.size(), 17u);
  for (std::size_t i = 0; i < 14; ++i) {
    const auto level = static_cast<steno_level>(i % 7);
    EXPECT_EQ(rows[i].message, steno_level_name(level) + std::string(" ") + std::to_string(i % 7));
    EXPECT_EQ(static_cast<int>(rows[i].level), level);
    EXPECT_EQ(rows[i].logger, "");
    EXPECT_NE(rows[i].file.find("statements.c"), std::string::npos);
    EXPECT_NE(rows[i].line, 0u);
  }
  EXPECT_EQ(rows[14].message, "to a logger: braces");
  EXPECT_EQ(rows[15].message, "to a logger: printf");
  EXPECT_EQ(rows[16].message, "to a logger: bounde");
  for (std::size_t i = 14; i < 17; ++i) EXPECT_EQ(rows[i].logger, "c.logger");
}

TEST_F(CApiTest, BothLanguagesShareOneLog) {
  constexpr int kTimes = 20'000;
  start();
  std::thread other([] { cxx_log_loop(kTimes); });
  c_log_loop(kTimes);
  other.join();
  std::set<std::string> logged;
  for (const std::string& message : messages()) logged.insert(message);
  EXPECT_EQ(logged.size(), 2u * kTimes);
  EXPECT_TRUE(logged.count("C 0") == 1 && logged.count("C++ " + std::to_string(kTimes - 1)) == 1);
}

TEST_F(CApiTest, StatementsAreKnownBeforeTheyRun) {
  EXPECT_FALSE(c_run_once(false));
  const auto& registry = steno::registry::Registry::instance();
  int found = 0;
  for (std::uint32_t id = steno::wire::kFirstUserSite; id < registry.end(); ++id) {
    steno::wire::SiteInfo site;
    ASSERT_TRUE(registry.find(id, &site));
    if (site.format != "a statement in C that may never run") continue;
    ++found;
    EXPECT_EQ(site.function, "c_run_once");
    EXPECT_EQ(site.level, steno::Level::kError);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(CApiTest, PluginsComeAndGo) {
  start();
  for (int i = 0; i < 3; ++i) {
    void* plugin = dlopen(STENO_C_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    const auto log = reinterpret_cast<void (*)(int)>(dlsym(plugin, "plugin_log"));
    ASSERT_NE(log, nullptr);
    log(i);
    dlclose(plugin);
    steno_set_level(STENO_LEVEL_DEBUG);  // reaches the words of all statements that are there
  }
  EXPECT_EQ(messages(), (std::vector<std::string>{"plugin 0", "plugin bound", "plugin 1", "plugin bound", "plugin 2",
                                                  "plugin bound"}));
}

TEST_F(CApiTest, RulesHoldForStatementsOfPluginsThatComeLater) {
  start();
  steno_error error;
  EXPECT_EQ(steno_set_levels("plugin.c=off,\"plugin %.*s\"=info", &error), STENO_OK);
  EXPECT_EQ(steno_set_levels("warn,c.logger=loud", &error), STENO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.text).find("'loud'"), std::string::npos) << error.text;
  void* plugin = dlopen(STENO_C_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  reinterpret_cast<void (*)(int)>(dlsym(plugin, "plugin_log"))(1);
  dlclose(plugin);
  EXPECT_EQ(steno_set_levels("reset", &error), STENO_OK);
  EXPECT_EQ(messages(), std::vector<std::string>{"plugin bound"});
}

TEST_F(CApiTest, RulesForStatementsComeBeforeLoggers) {
  start();
  steno_logger* logger = steno_get_logger("c.ruled");
  steno_logger_set_level(logger, STENO_LEVEL_OFF);
  c_log_levels(logger);
  EXPECT_EQ(steno_set_levels("statements.c=error", nullptr), STENO_OK);
  c_log_levels(logger);
  EXPECT_EQ(steno_set_levels("reset", nullptr), STENO_OK);
  std::size_t named = 0;
  for (const Row& row : finish().rows) {
    if (row.logger.empty()) continue;
    ++named;
    EXPECT_EQ(row.logger, "c.ruled");
    EXPECT_GE(row.level, steno::Level::kError);
  }
  EXPECT_GT(named, 0u);
}

TEST_F(CApiTest, LargeStrings) {
  start();
  const std::string text(100'000, 'x');
  c_log_large(text.c_str(), text.size());
  EXPECT_EQ(messages(), (std::vector<std::string>{text, text, text + " 7"}));
}

// Up to beyond the lengths that are copied in the statement's own file, and around the size of records that are written
// otherwise; by a clock that calls read, and by one that is called.
class CWholeTexts : public CApiTest, public ::testing::WithParamInterface<int> {};

TEST_P(CWholeTexts, OfEveryLength) {
  steno_options options;
  STENO_OPTIONS(&options);
  options.clock = GetParam();
  ASSERT_EQ(steno_start(path().c_str(), &options), STENO_OK);
  steno_logger* const logger = steno_get_logger("texts");
  std::vector<std::string> expected;
  std::string text;
  for (int size = 0; size < 2060; size = size == 300 ? 1990 : size + 1) {
    while (static_cast<int>(text.size()) < size) text += static_cast<char>('a' + text.size() % 26);
    c_log_text(logger, text.c_str(), text.size());
    for (int i = 0; i < 4; ++i) expected.push_back(text);
    expected.push_back("1 " + text + " 2");
  }
  c_log_text(logger, nullptr, 0);
  for (int i = 0; i < 4; ++i) expected.emplace_back(i % 2 == 0 ? "(null)" : "");
  expected.emplace_back("1 (null) 2");
  EXPECT_EQ(messages(), expected);
}
INSTANTIATE_TEST_SUITE_P(Clocks, CWholeTexts,
                         ::testing::Values(STENO_CLOCK_BEST, STENO_CLOCK_WALL, STENO_CLOCK_COARSE));

TEST_F(CApiTest, ErrnoIsLoggedAndKept) {
  start();
  c_log_errno();
  EXPECT_EQ(messages(), (std::vector<std::string>{"open: No such file or directory", "still 1"}));
}

TEST_F(CApiTest, SecretsAreRedacted) {
  std::vector<std::string> warnings;
  steno_options options;
  STENO_OPTIONS(&options);
  options.on_warning = [](void* to, const char* text) { static_cast<std::vector<std::string>*>(to)->push_back(text); };
  options.warning_context = &warnings;
  ASSERT_EQ(steno_start(path().c_str(), &options), STENO_OK);
  c_log_secrets("4111 1111", 7);
  STENO_INFO("{} in C++", steno_secret(7));
  steno_stop();
  const auto texts = [this](bool show) {
    steno::ReadOptions read;
    read.show_secrets = show;
    auto log = steno::LogReader::open({path()}, read);
    EXPECT_TRUE(log.ok()) << log.status().message();
    std::vector<std::string> all;
    log->for_each([&all](const steno::Record& record) { all.push_back(record.message()); });
    return all;
  };
  const std::vector<std::string> shown = texts(true);
  const std::vector<std::string> redacted = texts(false);
  ASSERT_EQ(redacted.size(), 6u);
  EXPECT_EQ(redacted[0], "ada has [redacted] and   [redacted]");
  EXPECT_EQ(redacted[1], "[redacted] [redacted] [redacted] [redacted]");
  EXPECT_EQ(redacted[2], "[redacted] known");
  EXPECT_EQ(redacted[3], "[redacted] 7");
  EXPECT_EQ(redacted[4], "{:d}");
  EXPECT_EQ(redacted[5], "[redacted] in C++");
  EXPECT_EQ(shown[0], "ada has 4111 1111 and            7");
  EXPECT_EQ(shown[1], "4111 2.5 18000000000000000000 (null)");
  EXPECT_EQ(shown[2], "4111 1111 known");
  EXPECT_EQ(shown[3], std::string(4096, 'x') + " 7");
  EXPECT_EQ(shown[5], "7 in C++");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the field of a secret takes fill, alignment and width only"), std::string::npos);
}

TEST_F(CApiTest, FormatsOfRunTime) {
  start();
  c_log_at_run_time(nullptr, "%d %s", 1, "a");
  c_log_at_run_time(steno_get_logger("run-time"), "%d %s", 2, "b");
  const std::vector<Row> rows = finish().rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].message, "1 a");
  EXPECT_EQ(rows[0].level, steno::Level::kNotice);
  EXPECT_NE(rows[0].file.find("statements.c"), std::string::npos);
  EXPECT_EQ(rows[1].message, "from c_log_at_run_time");
  EXPECT_EQ(rows[2].message, "2 b");
  EXPECT_EQ(rows[2].logger, "run-time");
}

TEST_F(CApiTest, TryReportsWhatIsDropped) {
  // Nobody empties the rings before the end. A ring of an earlier test may be large.
  start({.ring_bytes = 4096, .when_full = steno::WhenFull::kDrop, .scribe_thread = false});
  std::vector<std::string> accepted;
  std::uint64_t refused = 0;
  for (int i = 0; i < 2000 || (refused == 0 && i < 1'000'000); ++i) {
    const std::string text(static_cast<std::size_t>(i % 50), 'x');
    if (c_try(i, text.c_str())) {
      accepted.push_back(std::to_string(i));
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
  std::vector<std::string> found;
  std::uint64_t dropped = 0;
  for (const std::string& message : messages()) {
    if (message.find("records dropped") != std::string::npos) {
      dropped += std::stoull(message);
    } else {
      found.push_back(message.substr(0, message.find(' ')));
    }
  }
  EXPECT_EQ(found, accepted);
  EXPECT_EQ(dropped, refused);
}

TEST_F(CApiTest, TryIsTrueForWhatIsNotToBeLogged) {
  start();
  steno_logger* const quiet = steno_get_logger("quiet");
  steno_logger_set_level(quiet, STENO_LEVEL_ERROR);
  EXPECT_EQ(c_try_disabled(quiet), 0);
  EXPECT_TRUE(messages().empty());
}

TEST_F(CApiTest, TryIsFalseWhereTheSessionHasEnded) {
  steno_session* const session = steno_session_open(path().c_str(), nullptr, nullptr);
  ASSERT_NE(session, nullptr);
  steno_logger* const logger = steno_session_logger(session, "gone");
  EXPECT_TRUE(c_try_to(logger, 0));
  EXPECT_TRUE(c_try_to(logger, 1));
  EXPECT_EQ(steno_session_close(session, nullptr), STENO_OK);
  EXPECT_FALSE(c_try_to(logger, 2));
  EXPECT_FALSE(c_try_to(logger, 3));
  EXPECT_EQ(messages(), (std::vector<std::string>{"0", "1"}));
}

TEST_F(CApiTest, SessionsOfTheirOwn) {
  steno_error error;
  steno_session* session = steno_session_open(path("own").c_str(), nullptr, &error);
  ASSERT_NE(session, nullptr) << error.text;
  steno_logger* logger = steno_session_logger(session, "own");
  STENO_LOG_TO(logger, INFO, "from C++ to a logger of C: {}", 1);
  c_log_at_run_time(logger, "%d", 2);
  EXPECT_EQ(steno_session_flush(session, &error), STENO_OK);
  steno_stats stats;
  steno_session_get_stats(session, &stats, sizeof stats);
  EXPECT_EQ(stats.records, 2u);
  EXPECT_EQ(steno_session_close(session, &error), STENO_OK);
  EXPECT_EQ(steno_session_close(nullptr, nullptr), STENO_OK);
  EXPECT_FALSE(steno_logger_enabled(logger, STENO_LEVEL_CRITICAL));
  const Log log = read_log(path("own"));
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_EQ(log.rows[0].message, "from C++ to a logger of C: 1");
}

TEST_F(CApiTest, ErrorsAreCodesAndSentences) {
  steno_error error;
  EXPECT_EQ(steno_try_start("/proc/none/log", nullptr, &error), STENO_NOT_FOUND);
  EXPECT_EQ(error.code, STENO_NOT_FOUND);
  EXPECT_NE(std::string(error.text).find("none"), std::string::npos) << error.text;
  EXPECT_EQ(steno_flush(&error), STENO_FAILED_PRECONDITION);
  EXPECT_EQ(steno_flush(nullptr), STENO_FAILED_PRECONDITION);
  const std::string longest = "/" + std::string(2000, 'x');
  EXPECT_NE(steno_try_start(longest.c_str(), nullptr, &error), STENO_OK);
  EXPECT_LT(std::strlen(error.text), sizeof error.text);
  EXPECT_EQ(steno_try_start(path().c_str(), nullptr, &error), STENO_OK);
  EXPECT_STREQ(error.text, "");
  EXPECT_EQ(steno_try_start(path().c_str(), nullptr, &error), STENO_FAILED_PRECONDITION);
}

TEST_F(CApiTest, OptionsOfOtherVersions) {
  struct Later {
    steno_options known;
    int more;
  } later{};
  steno_error error;
  // A program of a later version: the rest must be 0.
  steno_options_init(&later.known, sizeof later);
  EXPECT_EQ(later.known.size, sizeof later);
  EXPECT_EQ(steno_try_start(path().c_str(), &later.known, &error), STENO_OK) << error.text;
  steno_stop();
  later.more = 1;
  EXPECT_EQ(steno_try_start(path().c_str(), &later.known, &error), STENO_UNSUPPORTED);
  // One of an earlier version: what it does not know has its default.
  steno_options earlier;
  STENO_OPTIONS(&earlier);
  earlier.size = offsetof(steno_options, clock);
  earlier.level = STENO_LEVEL_WARN;
  earlier.zstd_level = 99;
  EXPECT_EQ(steno_try_start(path().c_str(), &earlier, &error), STENO_OK) << error.text;
  EXPECT_EQ(steno_get_level(), STENO_LEVEL_WARN);
  steno_stop();
  earlier.size = 0;
  EXPECT_EQ(steno_try_start(path().c_str(), &earlier, &error), STENO_INVALID_ARGUMENT);
  STENO_OPTIONS(&earlier);
  earlier.clock = 9;
  EXPECT_EQ(steno_try_start(path().c_str(), &earlier, &error), STENO_INVALID_ARGUMENT);
}

TEST_F(CApiTest, ASessionMayHaveAFlightRecorder) {
  steno_options options;
  steno_error error;
  STENO_OPTIONS(&options);
  options.level = STENO_LEVEL_DEBUG;
  options.recorder_below = STENO_LEVEL_INFO;
  options.recorder_records = 2;
  options.scribe_wait = STENO_SCRIBE_SLEEPS;
  ASSERT_EQ(steno_try_start(path().c_str(), &options, &error), STENO_OK) << error.text;
  for (int i = 0; i < 5; ++i) STENO_DEBUG("detail {}", i);
  STENO_INFO("in the file");
  EXPECT_EQ(steno_dump_recorder(&error), STENO_OK) << error.text;
  steno_stop();
  std::vector<std::string> messages;
  for (const Row& row : read_log(path()).rows) {
    if (row.message.find("flight recorder") == std::string::npos) messages.push_back(row.message);
  }
  EXPECT_EQ(messages, (std::vector<std::string>{"detail 3", "detail 4", "in the file"}));
  options.recorder_below = STENO_LEVEL_TRACE;
  ASSERT_EQ(steno_try_start(path().c_str(), &options, &error), STENO_OK) << error.text;
  EXPECT_EQ(steno_dump_recorder(&error), STENO_FAILED_PRECONDITION);
  steno_stop();
  options.scribe_wait = 4;
  EXPECT_EQ(steno_try_start(path().c_str(), &options, &error), STENO_INVALID_ARGUMENT);
  options.scribe_wait = STENO_SCRIBE_BLOCKS;
  options.scribe_nice = 20;
  EXPECT_EQ(steno_try_start(path().c_str(), &options, &error), STENO_INVALID_ARGUMENT);
  EXPECT_STREQ(error.text, "scribe_nice is 20; it must be -20 to 19");
  options.scribe_nice = 0;
  const int no_level = 9;  // as C may store it
  std::memcpy(&options.recorder_below, &no_level, sizeof(no_level));
  EXPECT_EQ(steno_try_start(path().c_str(), &options, &error), STENO_INVALID_ARGUMENT);
}

TEST_F(CApiTest, ASessionMayBringNoScribe) {
  steno_options options;
  steno_error error;
  STENO_OPTIONS(&options);
  options.external_scribe = true;
  options.on_warning = [](void*, const char*) {};
  const std::string staging = path() + ".staging";
  ASSERT_EQ(mkdir(staging.c_str(), 0700), 0);
  options.staging_directory = staging.c_str();
  steno_session* session = steno_session_open(path().c_str(), &options, &error);
  ASSERT_NE(session, nullptr) << error.text;
  STENO_LOG_TO(steno_session_logger(session, "alone"), INFO, "waits for {}", "a scribe");
  EXPECT_EQ(steno_session_flush(session, &error), STENO_FAILED_PRECONDITION);
  EXPECT_NE(std::string(error.text).find("'steno scribe'"), std::string::npos) << error.text;
  EXPECT_EQ(steno_session_close(session, &error), STENO_FAILED_PRECONDITION);
  EXPECT_NE(access(path().c_str(), F_OK), 0) << "nobody has written it";
  options.stop_does_not_wait = true;
  session = steno_session_open(path().c_str(), &options, &error);
  ASSERT_NE(session, nullptr) << error.text;
  EXPECT_EQ(steno_session_close(session, &error), STENO_OK) << error.text;
  std::filesystem::remove_all(staging);
}

// An extension registers statements at run time. Meanings follow the types, as in C++, and are not taken for marks of
// secrets.
TEST_F(CApiTest, AStatementMayHaveMeanings) {
  static const char library = 0;
  static constexpr char kTypes[] = "li\0@us\0";  // of the integer none
  static steno_detail_state state = {};
  static steno_detail_site site = {};
  static const steno_detail_site* const listed[] = {&site};
  site.state = &state;
  site.library = &library;
  site.format = "at {time} {count}";
  site.file = __FILE__;
  site.function = "meanings";
  site.types = kTypes;
  site.line = __LINE__;
  site.level = STENO_LEVEL_INFO;
  site.described = true;
  start();
  steno_detail_register(listed, listed + 1);
  steno_detail_value values[3] = {};
  const std::int64_t time_us = 61'000'000;
  const std::int32_t count = 7;
  std::memcpy(values[0].of.number, &time_us, sizeof time_us);
  std::memcpy(values[1].of.number, &count, sizeof count);
  EXPECT_TRUE(steno_detail_log(&site, nullptr, values));
  EXPECT_EQ(messages(), (std::vector<std::string>{"at 1970-01-01 00:01:01.000000Z 7"}));
}

}  // namespace
}  // namespace steno_test

void cxx_log_loop(int times) {
  for (int i = 0; i < times; ++i) STENO_INFO("{language} {i}", "C++", i);
}
