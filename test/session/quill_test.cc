// <steno/quill.h>: what programs written for Quill log with it.
#include <steno/quill.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "log_test.h"

namespace steno_test {
namespace {

using quill::Frontend;
using quill::LogLevel;
using Texts = std::vector<std::string>;

struct Point {
  int x;
  int y;
};
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << point.x << '/' << point.y;
}

// Sinks and loggers are of the process, so each test has its own names.
class QuillTest : public LogTest {
 protected:
  std::string name(const std::string& what) const {
    return std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "." + what;
  }
  quill::Logger* logger_to(const std::shared_ptr<quill::Sink>& sink, const std::string& pattern) {
    return Frontend::create_or_get_logger(name("logger"), sink, quill::PatternFormatterOptions(pattern));
  }
  // A logger whose log is path().
  quill::Logger* steno_logger() {
    return Frontend::create_or_get_logger(name("logger"), Frontend::create_or_get_sink<quill::StenoSink>(path()));
  }
  std::string text_of(const std::string& file) const {
    std::ifstream in(path(file));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Texts texts_of_log() const {
    Texts texts;
    for (const Row& row : read_log(path()).rows)
      texts.push_back(std::string(steno::level_name(row.level)) + " " + row.message);
    return texts;
  }
};

TEST_F(QuillTest, LevelsAndFormats) {
  quill::Logger* const log = steno_logger();
  EXPECT_EQ(log->get_log_level(), LogLevel::Info);
  LOG_DEBUG(log, "not said {}", 0);
  log->set_log_level(LogLevel::TraceL2);
  LOG_TRACE_L3(log, "not said");
  LOG_TRACE_L1(log, "trace {}", 1);
  LOG_DEBUG(log, "debug {:>4}", 2);
  LOG_INFO(log, "took {ms} ms at {where}", 1.5, std::string("db"));
  LOG_NOTICE(log, "{:.2f} {}", 3.14159, true);
  LOG_WARNING(log, "{0} {1} {0}", 'a', "b");
  LOG_ERROR(log, "{} {}", std::vector<int>{1, 2}, std::chrono::milliseconds(5));
  LOG_CRITICAL(log, "no arguments, {{braces}}");
  LOG_INFO(log, "{}", Point{3, 4});
  LOG_INFO(log, "too {many} for it", 1, 2);
  LOG_DYNAMIC(log, LogLevel::Warning, "of a level {}", 7);
  quill::info(log, "function {}", 8);
  quill::warning(log, quill::Tags("net"), "function {}", 9);
  log->flush_log();
  EXPECT_EQ(texts_of_log(),
            (Texts{"TRACE trace 1", "DEBUG debug    2", "INFO took 1.5 ms at db", "NOTICE 3.14 true", "WARN a b a",
                   "ERROR [1, 2] 5ms", "CRITICAL no arguments, {braces}", "INFO 3/4", "INFO too {many} for it 1 2",
                   "WARN of a level 7", "INFO function 8", "WARN #net function 9"}));
  const Log rows = read_log(path());
  EXPECT_EQ(rows.rows[0].logger, name("logger"));
  EXPECT_EQ(rows.rows[0].file.substr(rows.rows[0].file.rfind('/') + 1), "quill_test.cc");
  EXPECT_GT(rows.rows[0].line, 0u);
}

TEST_F(QuillTest, ValuesAndColumns) {
  quill::Logger* const log = steno_logger();
  const int qty = 5;
  const std::string client = "acme";
  LOGV_INFO(log, "order", qty, client, qty + 1);
  LOGV_INFO(log, "nothing");
  LOGJ_INFO(log, "order", qty, client);
  LOG_INFO_TAGS(log, TAGS("net", "slow"), "{} ms", 7);
  log->flush_log();
  EXPECT_EQ(texts_of_log(), (Texts{"INFO order [qty: 5, client: acme, qty + 1: 6]", "INFO nothing",
                                   "INFO order 5, acme", "INFO #net #slow 7 ms"}));
  std::map<std::string, char> arguments;
  auto reader = steno::LogReader::open({path()});
  ASSERT_TRUE(reader.ok());
  reader->for_each([&](const steno::Record& record) {
    for (std::size_t i = 0; i < record.argument_count(); ++i) {
      const steno::Argument argument = record.argument(i);
      arguments[std::string(argument.name())] = static_cast<char>(argument.type());
    }
  });
  EXPECT_EQ(arguments["qty"], 'i');
  EXPECT_EQ(arguments["client"], 'S');
}

TEST_F(QuillTest, Limits) {
  quill::Logger* const log = steno_logger();
  for (int i = 0; i < 7; ++i) {
    LOG_INFO_LIMIT(std::chrono::hours(1), log, "once {}", i);
    LOG_INFO_LIMIT_EVERY_N(3, log, "third {}", i);
    LOGV_INFO_LIMIT(std::chrono::nanoseconds(0), log, "each", i);
  }
  log->flush_log();
  Texts texts = texts_of_log();
  ASSERT_EQ(texts.size(), 11u);
  EXPECT_EQ(texts[0], "INFO once 0 (1x)");
  EXPECT_EQ(texts[1], "INFO third 0");
  EXPECT_EQ(texts[2], "INFO each [i: 0] (1x)");
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "INFO third 3"), 1);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "INFO third 6"), 1);
}

TEST_F(QuillTest, FilesAndPatterns) {
  quill::FileSinkConfig config;
  config.set_open_mode('w');
  std::ofstream(path("net.log")) << "old\n";
  const auto sink = Frontend::create_or_get_sink<quill::FileSink>(path("net.log"), config);
  EXPECT_EQ(Frontend::get_sink(path("net.log")), sink);
  EXPECT_THROW(Frontend::get_sink("none"), quill::QuillError);
  sink->set_log_level_filter(LogLevel::Info);
  quill::Logger* const log =
      logger_to(sink, "{%(logger:<12)} %(log_level:<9) %(file_name):%(line_number) %(tags)%(message) %(nothing)|");
  log->set_log_level(LogLevel::Debug);
  LOG_DEBUG(log, "not for the sink");
  LOG_WARNING(log, "up {}", 1);
  const int line = __LINE__ - 1;
  log->flush_log();
  EXPECT_EQ(text_of("net.log"), "{" + name("logger") + "} WARN quill_test.cc:" + std::to_string(line) + " up 1 |\n");
  EXPECT_THROW(Frontend::create_or_get_sink<quill::FileSink>("/proc/none/x.log"), quill::QuillError);
}

TEST_F(QuillTest, ShortCodesOfLevels) {
  quill::Logger* const log =
      logger_to(Frontend::create_or_get_sink<quill::FileSink>(path("net.log")), "%(log_level_short_code) %(message)");
  LOG_INFO(log, "one");
  LOG_WARNING(log, "two");
  LOG_CRITICAL(log, "three");
  log->flush_log();
  EXPECT_EQ(text_of("net.log"), "I one\nW two\nC three\n");
}

TEST_F(QuillTest, MappedDiagnosticContext) {
  const auto lines = Frontend::create_or_get_sink<quill::FileSink>(path("net.log"));
  const auto file = Frontend::create_or_get_sink<quill::StenoSink>(path());
  const quill::PatternFormatterOptions pattern("%(message)%(mdc)|");
  quill::Logger* const log = Frontend::create_or_get_logger(name("logger"), {lines, file}, pattern);
  quill::Logger* const other = Frontend::create_or_get_logger(name("other"), log);
  LOG_INFO(log, "before");
  {
    const std::string user = "ann\n";
    log->set_mdc("request_id", 42, std::string("user"), user);
  }
  LOG_INFO(log, "started {}", 1);
  LOG_INFO(other, "asked");
  log->set_mdc("request_id", 43, "share", 0.5);
  LOG_INFO(log, "changed");
  std::thread([&] { LOG_INFO(log, "of another thread"); }).join();
  log->flush_log();
  log->erase_mdc("user", "nothing");
  LOG_INFO(log, "erased");
  log->clear_mdc();
  LOG_INFO(log, "cleared");
  log->flush_log();
  EXPECT_EQ(text_of("net.log"),
            "before|\nstarted 1 [request_id: 42, user: ann\\n]|\nasked [request_id: 42, user: ann\\n]|\n"
            "changed [request_id: 43, user: ann\\n, share: 0.5]|\nof another thread|\n"
            "erased [request_id: 43, share: 0.5]|\ncleared|\n");
  const Log rows = read_log(path());
  ASSERT_EQ(rows.rows.size(), 7u);
  EXPECT_EQ(rows.rows[3].message, "changed");
}

// quill/mdc.h says that both are on one stack.
TEST_F(QuillTest, MappedDiagnosticContextBesideScopes) {
  const auto lines = Frontend::create_or_get_sink<quill::FileSink>(path("net.log"));
  const quill::PatternFormatterOptions pattern("%(message)%(mdc)|");
  quill::Logger* const log = Frontend::create_or_get_logger(name("logger"), lines, pattern);
  log->set_mdc("a", 1);
  {
    const steno::ScopedContext scope{"scope", 1};
    LOG_INFO(log, "in it");
  }
  LOG_INFO(log, "after it");
  {
    const steno::ScopedContext scope{"scope", 2};
    log->set_mdc("b", 2);
    LOG_INFO(log, "changed in it");
  }
  LOG_INFO(log, "after the change");
  log->set_mdc("c", 3);
  LOG_INFO(log, "set again");
  log->clear_mdc();
  {
    const steno::ScopedContext scope{"scope", 3};
    log->set_mdc("d", 4);
    log->clear_mdc();
    LOG_INFO(log, "cleared in it");
  }
  LOG_INFO(log, "nothing");
  log->flush_log();
  EXPECT_EQ(text_of("net.log"),
            "in it [a: 1, scope: 1]|\nafter it [a: 1]|\nchanged in it [a: 1, b: 2]|\nafter the change [a: 1]|\n"
            "set again [a: 1, b: 2, c: 3]|\ncleared in it [scope: 3]|\nnothing|\n");
}

// One that asks the registry while it is made, for itself too.
class CuriousSink : public quill::Sink {
 public:
  explicit CuriousSink(const std::string& other, const std::string& self = {})
      : other_(Frontend::create_or_get_sink<quill::NullSink>(other)) {
    loggers_ = Frontend::get_number_of_loggers();
    if (!self.empty()) Frontend::create_or_get_sink<CuriousSink>(self, other);
  }

 private:
  std::shared_ptr<quill::Sink> other_;
  std::size_t loggers_ = 0;
};

TEST_F(QuillTest, SinksThatAskTheRegistryWhileTheyAreMade) {
  const auto sink = Frontend::create_sink<CuriousSink>(name("curious"), name("other"));
  EXPECT_EQ(Frontend::get_sink(name("curious")), sink);
  EXPECT_NE(Frontend::get_sink(name("other")), nullptr);
  EXPECT_THROW(Frontend::create_sink<CuriousSink>(name("curious"), name("other")), quill::QuillError);
  EXPECT_THROW(Frontend::create_sink<CuriousSink>(name("itself"), name("other"), name("itself")), quill::QuillError);
  EXPECT_THROW(Frontend::get_sink(name("itself")), quill::QuillError);

  // Threads that want one at the same time get the same.
  std::vector<std::shared_ptr<quill::Sink>> found(4);
  std::vector<std::thread> threads;
  for (auto& one : found) {
    threads.emplace_back([&] { one = Frontend::create_or_get_sink<CuriousSink>(name("shared"), name("other")); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : found) EXPECT_EQ(one, found[0]);
}

TEST_F(QuillTest, JsonAndRotation) {
  const auto json = Frontend::create_or_get_sink<quill::JsonFileSink>(path("app.json"));
  quill::RotatingFileSinkConfig config;
  config.set_rotation_max_file_size(4096);
  config.set_max_backup_files(2);
  const auto rotating = Frontend::create_or_get_sink<quill::RotatingFileSink>(path("app.log"), config);
  quill::Logger* const log =
      Frontend::create_or_get_logger(name("logger"), {json, rotating}, quill::PatternFormatterOptions("%(message)"));
  for (int i = 0; i < 2000; ++i) {
    LOG_INFO(log, "{n} of many, many lines", i);
    if (i % 200 == 199) log->flush_log();  // a file is closed between writes
  }
  EXPECT_NE(text_of("app.json").find("\"args\":{\"n\":1999}"), std::string::npos);
  std::size_t closed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    const std::string file = entry.path().filename().string();
    if (file.rfind("app.", 0) == 0 && file != "app.log" && file != "app.json") ++closed;
  }
  EXPECT_EQ(closed, 2u);
}

class KeptSink : public quill::Sink {
 public:
  void write_log(const quill::MacroMetadata* statement, std::uint64_t time_ns, std::string_view thread_id,
                 std::string_view, const std::string&, std::string_view logger_name, LogLevel level,
                 std::string_view level_name, std::string_view level_code,
                 const std::vector<std::pair<std::string, std::string>>*, std::string_view message,
                 std::string_view line) override {
    std::ostringstream out;
    out << statement->message_format() << '|' << (time_ns > 0) << (thread_id == caller) << '|' << logger_name << '|'
        << (level == statement->log_level()) << level_name << level_code << '|' << message << '|' << line;
    lines.push_back(out.str());
  }
  void flush_sink() override { ++flushed; }

  const std::string caller = std::to_string(gettid());
  Texts lines;
  int flushed = 0;
};
class NoOdds : public quill::Filter {
 public:
  NoOdds() : quill::Filter("no odds") {}
  bool filter(const quill::MacroMetadata*, std::uint64_t, std::string_view, std::string_view, std::string_view,
              LogLevel, std::string_view message, std::string_view) noexcept override {
    return (message.back() - '0') % 2 == 0;
  }
};

TEST_F(QuillTest, SinksOfTheProgramsOwn) {
  const auto sink = Frontend::create_or_get_sink<KeptSink>(name("sink"));
  sink->add_filter(std::make_unique<NoOdds>());
  quill::Logger* const log = logger_to(sink, "%(log_level) %(message)");
  for (int i = 0; i < 3; ++i) LOG_WARNING(log, "say\n{}", i);
  log->flush_log();
  const auto& kept = static_cast<const KeptSink&>(*sink);
  EXPECT_EQ(kept.lines, (Texts{"say\\n{}|11|" + name("logger") + "|1WARNINGW|say\\n0|WARN say\\n0\n",
                               "say\\n{}|11|" + name("logger") + "|1WARNINGW|say\\n2|WARN say\\n2\n"}));
  EXPECT_GT(kept.flushed, 0);
  // Text sinks of steno's have filters as well.
  const auto file = Frontend::create_or_get_sink<quill::FileSink>(path("even.log"));
  file->add_filter(std::make_unique<NoOdds>());
  quill::Logger* const filtered =
      Frontend::create_or_get_logger(name("filtered"), file, quill::PatternFormatterOptions("%(message)"));
  for (int i = 0; i < 4; ++i) LOG_INFO(filtered, "{}", i);
  filtered->flush_log();
  EXPECT_EQ(text_of("even.log"), "0\n2\n");
  const auto json = Frontend::create_or_get_sink<quill::JsonFileSink>(path("even.json"));
  EXPECT_THROW(json->add_filter(std::make_unique<NoOdds>()), quill::QuillError);
}

TEST_F(QuillTest, BacktraceIsTheFlightRecorder) {
  quill::Logger* const log = steno_logger();
  LOG_BACKTRACE(log, "without one {}", 0);
  log->init_backtrace(2, LogLevel::Error);
  for (int i = 1; i <= 4; ++i) LOG_BACKTRACE(log, "step {}", i);
  LOG_INFO(log, "before");
  LOG_ERROR(log, "lost");
  log->flush_log();
  LOG_BACKTRACE(log, "step {}", 5);
  log->flush_backtrace();
  Texts texts;
  for (const std::string& text : texts_of_log()) {
    if (text.find("flight recorder") == std::string::npos) texts.push_back(text);
  }
  EXPECT_EQ(texts, (Texts{"TRACE step 3", "TRACE step 4", "INFO before", "ERROR lost", "TRACE step 5"}));
  EXPECT_THROW(log->init_backtrace(1), quill::QuillError);
}

TEST_F(QuillTest, LoggersAreOfTheProcess) {
  quill::Backend::start();
  EXPECT_TRUE(quill::Backend::is_running());
  quill::Logger* const log = steno_logger();
  EXPECT_EQ(Frontend::get_logger(name("logger")), log);
  EXPECT_EQ(Frontend::get_logger("none"), nullptr);
  EXPECT_EQ(steno_logger(), log);
  quill::Logger* const like = Frontend::create_or_get_logger(name("like"), log);
  EXPECT_THROW(Frontend::create_or_get_logger(name("nobody")), quill::QuillError);
  EXPECT_THROW(Frontend::create_logger(name("like"), std::shared_ptr<quill::Sink>()), quill::QuillError);
  LOG_INFO(log, "one");
  LOG_INFO(like, "two");
  quill::Backend::stop();
  EXPECT_FALSE(quill::Backend::is_running());
  EXPECT_EQ(texts_of_log(), (Texts{"INFO one", "INFO two"}));
  Frontend::remove_logger(like);
  EXPECT_FALSE(like->is_valid_logger());
  EXPECT_EQ(Frontend::get_logger(name("like")), nullptr);
  EXPECT_EQ(quill::loglevel_from_string("TRACE_L1"), LogLevel::TraceL1);
  EXPECT_EQ(quill::loglevel_to_string(LogLevel::Warning), "WARNING");
  EXPECT_THROW(quill::loglevel_from_string("loud"), quill::QuillError);
}

}  // namespace
}  // namespace steno_test
