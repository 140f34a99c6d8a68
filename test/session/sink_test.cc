// Tests the lines that sinks are given, in which order, and those that slow sinks miss.
#include <steno/sink.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "log_test.h"

namespace steno_test {
namespace {

using steno::Line;
using steno::SinkOptions;
using SinkTest = LogTest;

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

// The bytes of a ring lie elsewhere after it grew.
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

TEST_F(SinkTest, SlowSinkSaysWhatItSkipped) {
  in_process_of_its_own([this] {
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
    // Later records are skipped, too, until there is room again.
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
  });
}

TEST_F(SinkTest, SinkThatMayWaitMissesNothing) {
  in_process_of_its_own([this] {
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
  });
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

// One look finds more than is handed out at a time, and of one thread what is older than all of another's.
TEST_F(SinkTest, ManyRecordsOfOneLookAreInTheOrderOfTime) {
  in_process_of_its_own([this] {
    const auto taker = std::make_shared<Taker>();
    SinkOptions of_errors = Taker::sink(std::make_shared<Taker>());
    of_errors.level = steno::Level::kError;
    steno::Options options;
    options.sinks = {of_errors, Taker::sink(taker)};
    options.clock = steno::Clock::kUser;
    options.user_clock = strict_clock;
    options.scribe_thread = false;  // it looks when it is told to
    options.ring_bytes = std::size_t{1} << 20;
    start(options);
    std::mt19937 random(1);
    std::vector<int> ends;  // threads take turns until they have logged so many
    for (int end = 0; end < 30'000;)
      ends.push_back(end += static_cast<int>(random() % (random() % 4 == 0 ? 9'000 : 50)));
    std::atomic<std::size_t> turn{0};
    std::vector<std::thread> threads;
    constexpr std::size_t kThreads = 3;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&turn, &ends, t] {
        for (std::size_t mine = t; mine < ends.size(); mine += kThreads) {
          while (turn.load() != mine) std::this_thread::yield();
          for (int i = mine == 0 ? 0 : ends[mine - 1]; i < ends[mine]; ++i) STENO_INFO("{}", i);
          turn.store(mine + 1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    finish();
    const std::lock_guard lock(taker->mutex);
    ASSERT_EQ(taker->lines.size(), static_cast<std::size_t>(ends.back()));
    for (int i = 0; i < ends.back(); ++i) ASSERT_EQ(taker->lines[static_cast<std::size_t>(i)], std::to_string(i));
  });
}

TEST_F(SinkTest, WithoutAFile) {
  in_process_of_its_own([this] {
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
  });
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
            "a sink: pattern works only with LineFormat::kText");
  EXPECT_EQ(fails({.path = path("x"), .queue_bytes = 1}), "a sink: queue_bytes is 1; it must be 64 KiB to 1 GiB");
  EXPECT_EQ(fails({.path = "/proc/none/x"}), "cannot make the directory /proc/none: No such file or directory");
  steno::Options external;
  external.path = path();
  external.console = true;
  external.scribe = steno::Scribe::kExternal;
  EXPECT_FALSE(steno::try_start(external).ok());
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace steno_test
