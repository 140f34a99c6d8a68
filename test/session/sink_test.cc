// Sinks, against the real thing: a terminal, pipes, a full disk, functions that are slow.
#include <fcntl.h>
#include <pty.h>
#include <steno/sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

#include "log_test.h"

namespace steno_test {
namespace {

using steno::Line;
using steno::SinkOptions;

// Standard error goes elsewhere while this lives.
class StderrTo {
 public:
  explicit StderrTo(int fd) : before_(dup(STDERR_FILENO)) { dup2(fd, STDERR_FILENO); }
  ~StderrTo() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }

 private:
  int before_;
};

// Reads until `text` has come; fails if it does not.
std::string read_until(int fd, const std::string& text) {
  std::string all;
  char buffer[4096];
  while (all.find(text) == std::string::npos) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    all.append(buffer, static_cast<std::size_t>(n));
  }
  EXPECT_NE(all.find(text), std::string::npos) << all;
  return all;
}

class SinkTest : public LogTest {
 protected:
  ~SinkTest() override {
    steno::stop();
    for (const char* name : {"STENO_CONSOLE", "NO_COLOR", "TERM"}) unsetenv(name);
  }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file(path(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
};

// Takes lines, when it is let.
struct Taker {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = true;
  std::vector<std::string> lines;

  void take(const Line& line) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return open; });
    lines.emplace_back(line.text);
  }
  void set_open(bool now) {
    const std::lock_guard lock(mutex);
    open = now;
    changed.notify_all();
  }
  // Outlives the sink's thread, which may be inside.
  static SinkOptions sink(const std::shared_ptr<Taker>& taker) {
    SinkOptions options;
    options.callback = [taker](const Line& line) { taker->take(line); };
    options.pattern = "{message}";
    return options;
  }
};

// The number in "lines skipped here: N (…)".
std::uint64_t skipped_in(const std::string& line) {
  const std::string start = "lines skipped here: ";
  const std::size_t at = line.find(start);
  return at == std::string::npos ? 0 : std::stoull(line.substr(at + start.size()));
}

// Where the bytes of a ring lie is another thing after it grew.
TEST_F(SinkTest, RingsThatGrowAreShownWhole) {
  constexpr std::size_t kMessages = 60'000;  // several times what a ring begins with
  const auto taker = std::make_shared<Taker>();
  steno::Options options;
  options.sinks = {Taker::sink(taker)};
  options.sinks[0].when_full = steno::WhenFull::kBlock;
  options.block_at_most = steno::kForever;
  start(options);
  for (std::size_t i = 0; i < kMessages; ++i) STENO_INFO("number {} of {}", i, "rings that grow as they are filled");
  steno::stop();
  ASSERT_EQ(taker->lines.size(), kMessages);
  for (std::size_t i = 0; i < kMessages; ++i)
    ASSERT_EQ(taker->lines[i], "number " + std::to_string(i) + " of rings that grow as they are filled");
}

TEST_F(SinkTest, RulesChangeWhatEachShows) {
  const auto all = std::make_shared<Taker>();
  const auto some = std::make_shared<Taker>();
  steno::Options options;
  options.level = steno::Level::kDebug;
  options.levels = "sink:some=error";
  options.sinks = {Taker::sink(all), Taker::sink(some)};
  options.sinks[1].level = steno::Level::kInfo;
  options.sinks[1].name = "some";
  start(options);
  int step = 0;
  const auto log = [&] {
    STENO_DEBUG("debug {}", step);
    STENO_INFO("info {}", step);
    STENO_ERROR("error {}", step++);
    EXPECT_TRUE(steno::flush().ok());
  };
  log();
  EXPECT_TRUE(steno::set_levels("sink:some=debug,sink:nobody=off").ok());
  log();
  EXPECT_TRUE(steno::set_levels("sink:some=off,sink:callback=error").ok());
  log();
  EXPECT_TRUE(steno::set_levels("sink:some=inherit").ok());
  log();
  EXPECT_TRUE(steno::set_levels("reset").ok());
  log();
  steno::stop();
  EXPECT_EQ(some->lines, (std::vector<std::string>{"error 0", "debug 1", "info 1", "error 1", "info 3", "error 3",
                                                   "info 4", "error 4"}));
  EXPECT_EQ(all->lines, (std::vector<std::string>{"debug 0", "info 0", "error 0", "debug 1", "info 1", "error 1",
                                                  "error 2", "error 3", "debug 4", "info 4", "error 4"}));

  options.sinks[1].name = "a b";
  EXPECT_NE(steno::try_start(options).message().find("a sink: name must be"), std::string::npos);
  options.sinks[1].name = "a*";
  EXPECT_NE(steno::try_start(options).message().find("a sink: name must be"), std::string::npos);
  options.sinks[1].name = "42";
  EXPECT_NE(steno::try_start(options).message().find("a sink: name is '42'"), std::string::npos);
}

TEST_F(SinkTest, TerminalIsShownLinesWithoutFlush) {
  setenv("TERM", "xterm", 1);
  int reader = -1;
  int terminal = -1;
  ASSERT_EQ(openpty(&reader, &terminal, nullptr, nullptr, nullptr), 0);
  {
    const StderrTo to(terminal);
    steno::Options options;
    options.console = true;
    options.flush_interval = std::chrono::hours(1);
    start(options);
    STENO_INFO("shown at once {}", 1);
    read_until(reader, "shown at once 1\r\n");
    STENO_ERROR("in \x1b[2J red");
    const std::string red = read_until(reader, "red\r\n");
    EXPECT_NE(red.find("\x1b[31mERROR"), std::string::npos) << red;
    EXPECT_NE(red.find("in \\x1b[2J red"), std::string::npos) << red;
    EXPECT_EQ(finish().rows.size(), 2u);
  }
  close(terminal);
  close(reader);
}

TEST_F(SinkTest, EnvironmentDecidesOfTheConsole) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    const StderrTo to(ends[1]);
    setenv("STENO_CONSOLE", "1", 1);
    start();
    STENO_INFO("by the environment");
    steno::stop();
    setenv("STENO_CONSOLE", "0", 1);
    steno::Options options;
    options.console = true;
    start(options);
    STENO_INFO("not shown");
    steno::stop();
  }
  close(ends[1]);
  const std::string shown = read_until(ends[0], "by the environment\n");
  char more;
  EXPECT_EQ(read(ends[0], &more, 1), 0);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;  // no terminal, no colours
  close(ends[0]);
  setenv("STENO_CONSOLE", "loud", 1);
  EXPECT_FALSE(steno::try_start({.path = path()}).ok());
}

TEST_F(SinkTest, PipeThatNobodyReadsKeepsNobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  constexpr int kRecords = 20'000;  // more than a pipe holds
  {
    const StderrTo to(ends[1]);
    steno::Options options;
    options.console = true;
    options.sinks.push_back({.path = path("beside.log")});
    options.block_at_most = std::chrono::seconds(2);  // in which the sink beside it has written all
    options.on_warning = [](const std::string&) {};
    start(options);
    for (int i = 0; i < kRecords; ++i) STENO_INFO("line {}", i);
    (void)steno::flush();
    const Log log = finish();
    EXPECT_EQ(log.rows.size(), static_cast<std::size_t>(kRecords));
    EXPECT_TRUE(log.losses.empty());
  }
  EXPECT_EQ(lines_of("beside.log").size(), static_cast<std::size_t>(kRecords));
  close(ends[0]);  // lets the sink's thread go
  close(ends[1]);
}

TEST_F(SinkTest, ReaderThatLeavesKillsNobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::atomic<int> warnings{0};
  {
    const StderrTo to(ends[1]);
    steno::Options options;
    options.console = true;
    options.on_warning = [&](const std::string& text) {
      EXPECT_NE(text.find("standard error cannot be written"), std::string::npos) << text;
      ++warnings;
    };
    start(options);
    for (int i = 0; i < 3; ++i) {
      STENO_INFO("to nobody {}", i);
      (void)steno::flush();
    }
    EXPECT_EQ(finish().rows.size(), 3u);
  }
  EXPECT_EQ(warnings.load(), 1);
  close(ends[1]);
}

TEST_F(SinkTest, FullDiskOfASinkIsNotTheLogs) {
  std::atomic<int> warnings{0};
  steno::Options options;
  options.sinks.push_back({.path = "/dev/full"});
  options.on_warning = [&](const std::string& text) {
    EXPECT_NE(text.find("/dev/full cannot be written (No space left on device)"), std::string::npos) << text;
    ++warnings;
  };
  start(options);
  for (int i = 0; i < 100; ++i) STENO_INFO("line {}", i);
  (void)steno::flush();
  STENO_INFO("one more");
  EXPECT_EQ(finish().rows.size(), 101u);
  EXPECT_EQ(warnings.load(), 1);
}

TEST_F(SinkTest, SlowSinkSaysWhatItSkipped) {
  const auto taker = std::make_shared<Taker>();
  taker->set_open(false);
  steno::Options options;
  SinkOptions sink = Taker::sink(taker);
  sink.queue_bytes = std::size_t{64} << 10;
  options.sinks = {sink};
  options.ring_bytes = 4096;
  options.block_at_most = std::chrono::milliseconds(1);
  std::atomic<int> warnings{0};
  options.on_warning = [&](const std::string&) { ++warnings; };
  start(options);
  constexpr std::uint64_t kRecords = 50'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    STENO_INFO("line {}", i);
    if (i % 1000 == 999) (void)steno::flush();  // gives up
  }
  for (int i = 0; i < 20'000 && warnings.load() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(warnings.load(), 1);
  taker->set_open(true);
  // Until there is room again, what comes is skipped, too.
  std::uint64_t more = 0;
  for (bool said = false; !said;) {
    STENO_INFO("and on {}", more++);
    (void)steno::flush();
    const std::lock_guard lock(taker->mutex);
    said = !taker->lines.empty() && taker->lines.back().rfind("and on", 0) == 0;
  }
  std::uint64_t skipped = 0;
  const auto accounted = [&] {
    std::uint64_t shown = skipped = 0;
    const std::lock_guard lock(taker->mutex);
    for (const std::string& line : taker->lines) {
      const std::uint64_t here = skipped_in(line);
      skipped += here;
      if (here == 0) ++shown;
    }
    return shown + skipped;
  };
  // The end waits for a millisecond only.
  for (int i = 0; i < 20'000 && accounted() != kRecords + more; ++i) (void)steno::flush();
  EXPECT_EQ(finish().rows.size(), kRecords + more);
  EXPECT_EQ(accounted(), kRecords + more);
  EXPECT_GT(skipped, 0u);
}

TEST_F(SinkTest, SinkThatMayWaitMissesNothing) {
  steno::Options options;
  const auto taker = std::make_shared<Taker>();
  SinkOptions sink = Taker::sink(taker);
  sink.queue_bytes = std::size_t{64} << 10;
  sink.when_full = steno::WhenFull::kBlock;
  options.sinks = {sink};
  options.ring_bytes = 4096;
  options.block_at_most = steno::kForever;
  start(options);
  constexpr int kRecords = 20'000;
  for (int i = 0; i < kRecords; ++i) STENO_INFO("{}", i);
  finish();
  const std::lock_guard lock(taker->mutex);
  ASSERT_EQ(taker->lines.size(), static_cast<std::size_t>(kRecords));
  for (int i = 0; i < kRecords; ++i) ASSERT_EQ(taker->lines[static_cast<std::size_t>(i)], std::to_string(i));
}

// A clock that never says the same twice. (The counter is read out of order: by some ns, a later call may be earlier.)
std::uint64_t strict_clock() {
  static std::atomic<std::uint64_t> now{1'800'000'000'000'000'000};
  return now += 1000;
}

// Threads that log in turn: each record is published before the next one's time is read, so the order is known, and no
// moment at which the scribe looks may show another.
TEST_F(SinkTest, LinesOfThreadsAreInTheOrderOfTime) {
  const auto taker = std::make_shared<Taker>();
  SinkOptions sink = Taker::sink(taker);
  steno::Options options;
  options.sinks = {sink};
  options.clock = steno::Clock::kUser;
  options.user_clock = strict_clock;
  options.scribe_thread = false;  // so that it looks as often as can be
  start(options);
  constexpr int kTurns = 500;
  constexpr int kThreads = 3;
  std::atomic<int> turn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&turn, t] {
      for (int i = t; i < kTurns; i += kThreads) {
        while (turn.load() != i) std::this_thread::yield();
        STENO_INFO("{}", i);
        turn.store(i + 1);
      }
    });
  }
  while (turn.load() != kTurns) steno::poll();
  for (std::thread& thread : threads) thread.join();
  finish();
  const std::lock_guard lock(taker->mutex);
  ASSERT_EQ(taker->lines.size(), static_cast<std::size_t>(kTurns));
  for (int i = 0; i < kTurns; ++i) ASSERT_EQ(taker->lines[static_cast<std::size_t>(i)], std::to_string(i));
}

TEST_F(SinkTest, LinesAreThoseOfTheLog) {
  steno::Options options;
  options.sinks.push_back({.path = path("all.log"), .pattern = "{level} {logger}|{message}|{args}"});
  options.sinks.push_back({.path = path("warnings.log"), .level = steno::Level::kWarn, .pattern = "{message}"});
  options.sinks.push_back({.path = path("net.log"), .logger = "net", .pattern = "{message}"});
  options.sinks.push_back({.path = path("lines.json"), .format = steno::LineFormat::kJson});
  options.sinks.push_back({.path = path("lines.csv"), .format = steno::LineFormat::kCsv});
  STENO_INFO("before the session");
  start(options);
  steno::set_thread_name("main");
  steno::Logger net = steno::logger("net");
  steno::Logger http = steno::logger("net.http");
  steno::Logger network = steno::logger("network");
  STENO_INFO("{name} is {:.2f}, {} and {}", std::string("pi"), 3.14159, true, static_cast<const char*>(nullptr));
  STENO_WARNF("%5d|%-5s|%s", 42, "ab", "");
  STENO_LOG_TO(net, INFO, "of net {}", static_cast<signed char>(-5));
  STENO_LOG_TO(http, ERROR, "of http {}", static_cast<__int128>(-1));
  STENO_LOG_TO(network, INFO, "of another {} {} {}", std::string("a"), std::u16string(u"\u00e4b"), std::string("c\n"));
  finish();
  EXPECT_EQ(lines_of("all.log"), (std::vector<std::string>{
                                     "INFO |before the session|{}",
                                     R"(INFO |pi is 3.14, true and (null)|{"name":"pi","1":3.14159,"2":true,"3":null})",
                                     R"(WARN |   42|ab   ||{"0":42,"1":"ab","2":""})",
                                     R"(INFO net|of net -5|{"0":-5})",
                                     R"(ERROR net.http|of http -1|{"0":-1})",
                                     R"(INFO network|of another a äb c\n|{"0":"a","1":"äb","2":"c\n"})",
                                 }));
  EXPECT_EQ(lines_of("warnings.log"), (std::vector<std::string>{"   42|ab   |", "of http -1"}));
  EXPECT_EQ(lines_of("net.log"), (std::vector<std::string>{"of net -5", "of http -1"}));
  EXPECT_EQ(lines_of("lines.json").size(), 6u);
  EXPECT_EQ(lines_of("lines.csv").size(), 8u);  // and the header, and a line break within quotes
}

TEST_F(SinkTest, WithoutAFile) {
  const auto taker = std::make_shared<Taker>();
  steno::Options options;
  options.sinks = {Taker::sink(taker)};
  options.ring_bytes = 4096;
  options.level = steno::Level::kTrace;
  options.sync = steno::Sync::kEachBlock;
  ASSERT_TRUE(steno::try_start(options).ok());
  constexpr int kRecords = 1000;
  for (int i = 0; i < kRecords; ++i) STENO_INFO("{}", i);
  EXPECT_TRUE(steno::flush().ok());
  EXPECT_EQ(steno::stats().records, static_cast<std::uint64_t>(kRecords));
  steno::stop();
  const std::lock_guard lock(taker->mutex);
  EXPECT_EQ(taker->lines.size(), static_cast<std::size_t>(kRecords));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(SinkTest, SinkOfTheProgram) {
  struct Refuses final : steno::Sink {
    std::vector<std::string> lines;
    int calls = 0;
    int flushed = 0;
    bool write(const Line* first, std::size_t count) override {
      if (++calls == 1) throw std::runtime_error("no");
      for (std::size_t i = 0; i < count; ++i) lines.emplace_back(first[i].text);
      return true;
    }
    void flush() override { ++flushed; }
  };
  const auto sink = std::make_shared<Refuses>();
  SinkOptions of_ours;
  of_ours.sink = sink;
  of_ours.pattern = "{message}";
  steno::Options options;
  options.sinks = {of_ours};
  options.on_warning = [](const std::string&) {};
  start(options);
  STENO_INFO("refused");
  (void)steno::flush();
  STENO_INFO("taken");
  finish();
  EXPECT_EQ(sink->lines, (std::vector<std::string>{"lines skipped here: 1 (it threw an exception)", "taken"}));
  EXPECT_GE(sink->flushed, 1);
}

TEST_F(SinkTest, FileThatIsRenamedIsBegunAnew) {
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  start(options);
  STENO_INFO("before");
  (void)steno::flush();
  ASSERT_EQ(rename(path("text.log").c_str(), path("text.log.1").c_str()), 0);
  struct stat st {};
  while (stat(path("text.log").c_str(), &st) != 0) {  // within a second
    STENO_INFO("meanwhile");
    (void)steno::flush();
    usleep(10'000);
  }
  STENO_INFO("after");
  finish();
  EXPECT_EQ(lines_of("text.log.1").front(), "before");
  EXPECT_EQ(lines_of("text.log").back(), "after");
}

TEST_F(SinkTest, FilesRotateBySizeAndOnRequest) {
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  options.sinks.back().rotation.max_bytes = 4096;
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  options.sinks.push_back({.path = path("rows.csv"), .format = steno::LineFormat::kCsv});
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  options.sinks.back().rotation.keep = 1;
  start(options);
  int logged = 0;
  for (int part = 0; part < 3; ++part) {
    for (int i = 0; i < 1000; ++i) STENO_INFO("line {}", logged++);
    EXPECT_TRUE(steno::flush().ok());
  }
  EXPECT_TRUE(steno::rotate().ok());
  STENO_INFO("line {}", logged++);
  EXPECT_TRUE(steno::rotate().ok());
  STENO_INFO("line {}", logged++);
  finish();
  std::vector<std::string> all;
  int closed = 0;
  for (int i = 1; std::ifstream(path("text." + std::to_string(i) + ".log")); ++i, ++closed) {
    for (std::string& line : lines_of("text." + std::to_string(i) + ".log")) all.push_back(std::move(line));
  }
  EXPECT_GE(closed, 4) << "three by size, or by request; and one more";
  for (std::string& line : lines_of("text.log")) all.push_back(std::move(line));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(logged));
  for (int i = 0; i < logged; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], "line " + std::to_string(i));
  // Each has its header; the first was removed.
  EXPECT_FALSE(std::ifstream(path("rows.1.csv")));
  const std::vector<std::string> before = lines_of("rows.2.csv");
  const std::vector<std::string> now = lines_of("rows.csv");
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0], before[0]);
}

TEST_F(SinkTest, FilesBeginAnewOnStart) {
  steno::Options options;
  options.sinks.push_back({.path = path("text.log"), .pattern = "{message}"});
  options.sinks.back().rotation.on_start = true;
  options.sinks.back().rotation.name = "{stem}.{n}{ext}";
  for (int run = 0; run < 2; ++run) {
    start(options);
    STENO_INFO("run {}", run);
    finish();
  }
  EXPECT_EQ(lines_of("text.1.log"), std::vector<std::string>{"run 0"});
  EXPECT_EQ(lines_of("text.log"), std::vector<std::string>{"run 1"});
}

TEST_F(SinkTest, ImpossibleOptionsAreNamed) {
  const auto fails = [&](SinkOptions sink) {
    steno::Options options;
    options.path = path();
    options.sinks = {std::move(sink)};
    return steno::try_start(options).message();
  };
  EXPECT_EQ(fails({}),
            "a sink: it needs one of console, path, callback, sink, syslog.address and journal.address, and has 0");
  EXPECT_EQ(fails({.console = steno::Console::kStderr, .path = "x"}),
            "a sink: it needs one of console, path, callback, sink, syslog.address and journal.address, and has 2");
  EXPECT_EQ(fails({.path = path()}), "a sink: " + path() + " is the binary log; choose another path");
  EXPECT_EQ(fails({.path = path("x"), .pattern = "{tiem}"}),
            "a sink: pattern: there is no field 'tiem'; did you mean 'time'?");
  EXPECT_EQ(fails({.path = path("x"), .format = steno::LineFormat::kJson, .pattern = "{time}"}),
            "a sink: pattern goes with LineFormat::kText only");
  EXPECT_EQ(fails({.path = path("x"), .queue_bytes = 1}), "a sink: queue_bytes is 1; it must be 64 KiB to 1 GiB");
  EXPECT_EQ(fails({.path = path("none/x")}), "cannot open " + path("none/x") + ": No such file or directory");
  steno::Options external;
  external.path = path();
  external.console = true;
  external.scribe = steno::Scribe::kExternal;
  EXPECT_FALSE(steno::try_start(external).ok());
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace steno_test
