// The flight recorder: what is set aside, when it is written, and what is said of the rest.
#include "steno/recorder.h"

#include <steno/context.h>
#include <steno/sink.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "../sanitizers.h"
#include "log_test.h"

namespace steno_test {
namespace {

using steno::Level;
using Messages = std::vector<std::string>;

class RecorderTest : public LogTest {
 protected:
  // All of one size: the first session decides.
  static steno::Options recording() {
    steno::Options options;
    options.recorder.below = Level::kInfo;
    options.recorder.bytes = 65536;
    return options;
  }

  // Returns the messages, and checks that none is lost.
  Messages messages() {
    const Log log = finish();
    EXPECT_EQ(log.losses, Messages());
    return LogTest::messages(log);
  }
};

TEST_F(RecorderTest, WhatNothingAsksForIsInNoFile) {
  start(recording());
  STENO_DEBUG("a detail {}", 1);
  STENO_INFO("an event");
  STENO_TRACE("another {}", "detail");
  EXPECT_EQ(messages(),
            (Messages{"an event", "flight recorder: 0 records kept, 2 before them not: the session ended"}));
}

TEST_F(RecorderTest, AnErrorBringsWhatWasBeforeIt) {
  start(recording());
  for (int i = 0; i < 3; ++i) STENO_DEBUG("detail {}", i);
  STENO_INFO("an event");
  STENO_DEBUG("detail {}", 3);
  STENO_ERROR("it failed");
  EXPECT_TRUE(steno::flush().ok());
  const Messages all = messages();
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(Messages(all.begin(), all.begin() + 6),
            (Messages{"detail 0", "detail 1", "detail 2", "an event", "detail 3", "it failed"}));
  EXPECT_EQ(all[6], "flight recorder: 4 records kept, 0 before them not: a record of level ERROR or above was logged");
}

TEST_F(RecorderTest, ACallBringsIt) {
  start(recording());
  STENO_DEBUG("detail {}", 1);
  EXPECT_TRUE(steno::dump_recorder().ok());
  STENO_DEBUG("detail {}", 2);
  EXPECT_TRUE(steno::dump_recorder().ok());
  EXPECT_TRUE(steno::dump_recorder().ok());  // nothing new
  EXPECT_EQ(messages(), (Messages{"detail 1", "flight recorder: 1 records kept, 0 before them not: it was asked for",
                                  "detail 2", "flight recorder: 1 records kept, 0 before them not: it was asked for"}));
}

// Whatever the scribe is doing when it is asked: what was logged before the call is in.
TEST_F(RecorderTest, ACallInMidPassBringsIt) {
  start(recording());
  std::atomic<bool> done{false};
  std::thread flushes([&] {
    while (!done) (void)steno::flush();
  });
  constexpr auto kCalls = static_cast<std::size_t>(steno::test::sampled(1000));
  for (std::size_t i = 0; i < kCalls; ++i) {
    STENO_DEBUG("detail {}", i);
    EXPECT_TRUE(steno::dump_recorder().ok());
  }
  done = true;
  flushes.join();
  const Messages all = messages();
  ASSERT_EQ(all.size(), 2 * kCalls);
  for (std::size_t i = 0; i < kCalls; ++i) {
    EXPECT_EQ(all[2 * i], "detail " + std::to_string(i));
    EXPECT_EQ(all[2 * i + 1], "flight recorder: 1 records kept, 0 before them not: it was asked for");
  }
}

TEST_F(RecorderTest, WhereThereIsNoneACallSaysSo) {
  start();
  EXPECT_EQ(steno::dump_recorder().code(), steno::StatusCode::kFailedPrecondition);
  STENO_DEBUG("detail");
  EXPECT_EQ(messages(), Messages{"detail"});
}

TEST_F(RecorderTest, WhatIsOverwrittenIsCountedAndNoLoss) {
  start(recording());
  constexpr int kRecords = 20000;
  for (int i = 0; i < kRecords; ++i) {
    STENO_DEBUG("detail {}", i);
    if (i % 1000 == 0) {
      EXPECT_TRUE(steno::flush().ok());
    }
  }
  EXPECT_TRUE(steno::dump_recorder().ok());
  const Messages all = messages();
  ASSERT_GT(all.size(), 100u);
  ASSERT_LT(all.size(), 65536u / 24);
  const std::size_t kept = all.size() - 1;
  EXPECT_EQ(all[kept], "flight recorder: " + std::to_string(kept) + " records kept, " +
                           std::to_string(kRecords - kept) + " before them not: it was asked for");
  for (std::size_t i = 0; i < kept; ++i) EXPECT_EQ(all[i], "detail " + std::to_string(kRecords - kept + i));
}

TEST_F(RecorderTest, MoreThanItHoldsAtOnceLeavesTheLast) {
  steno::Options options = recording();
  options.ring_bytes = std::size_t{1} << 22;
  options.scribe_thread = false;  // all of it is one look
  start(options);
  constexpr int kRecords = 20000;
  for (int i = 0; i < kRecords; ++i) STENO_DEBUG("detail {} {}", i, std::string(static_cast<std::size_t>(i % 50), 'x'));
  EXPECT_TRUE(steno::dump_recorder().ok());
  const Messages all = messages();
  ASSERT_GT(all.size(), 100u);
  EXPECT_EQ(all[all.size() - 2], "detail 19999 " + std::string(49, 'x'));
  EXPECT_NE(all.back().find(std::to_string(kRecords - (all.size() - 1)) + " before them not"), std::string::npos);
}

TEST_F(RecorderTest, OnlySoManyOrSoOldAreWritten) {
  steno::Options options = recording();
  options.recorder.records = 3;
  start(options);
  for (int i = 0; i < 10; ++i) STENO_DEBUG("detail {}", i);
  EXPECT_TRUE(steno::dump_recorder().ok());
  EXPECT_EQ(messages(), (Messages{"detail 7", "detail 8", "detail 9",
                                  "flight recorder: 3 records kept, 7 before them not: it was asked for"}));
}

TEST_F(RecorderTest, WhatIsOlderIsForgotten) {
  for (const steno::Clock clock : {steno::Clock::kBest, steno::Clock::kWall}) {
    steno::Options options = recording();
    options.path = path(clock == steno::Clock::kBest ? "best.steno" : "wall.steno");
    options.clock = clock;
    options.recorder.time = std::chrono::hours(10);
    start(options);
    STENO_DEBUG("young");
    EXPECT_TRUE(steno::dump_recorder().ok());
    steno::stop();
    EXPECT_EQ(read_log(options.path).rows.size(), 2u);
    options.recorder.time = std::chrono::milliseconds(1);
    start(options);
    STENO_DEBUG("old");
    EXPECT_TRUE(steno::flush().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(steno::dump_recorder().ok());
    steno::stop();
    const Messages all = LogTest::messages(read_log(options.path));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[2], "flight recorder: 0 records kept, 1 before them not: it was asked for");
  }
}

TEST_F(RecorderTest, ThreadsContextsAndLoggersAreKept) {
  start(recording());
  const steno::Logger logger = steno::logger("recorded");
  std::thread other([&] {
    steno::set_thread_name("other");
    const steno::ScopedContext context{"request_id", 7};
    STENO_LOG_TO(logger, DEBUG, "in a context");
    STENO_INFO("event in a context");
    STENO_DEBUG("again");
  });
  other.join();
  STENO_DEBUG("without");
  EXPECT_TRUE(steno::dump_recorder().ok());
  steno::stop();
  auto reader = steno::LogReader::open({path()});
  ASSERT_TRUE(reader.ok());
  std::vector<std::string> found;
  reader->for_each([&](const steno::Record& r) {
    found.push_back(std::string(r.message()) + "|" + std::string(r.logger()) + "|" +
                    (r.thread() == "other" ? "other" : "") + "|" + std::to_string(r.argument_count()));
  });
  ASSERT_EQ(found.size(), 5u);
  found.pop_back();
  EXPECT_EQ(found, (Messages{"in a context|recorded|other|1", "event in a context||other|1", "again||other|1",
                             "without|||0"}));
  EXPECT_TRUE(reader->losses().empty());
}

TEST_F(RecorderTest, SinksShowItWhenItIsWritten) {
  std::mutex mutex;
  Messages lines;
  steno::Options options = recording();
  steno::SinkOptions sink;
  sink.level = Level::kTrace;
  sink.pattern = "{message}";
  sink.callback = [&](const steno::Line& line) {
    const std::lock_guard lock(mutex);
    lines.emplace_back(line.text);
  };
  options.sinks = {sink};
  start(options);
  STENO_DEBUG("detail");
  STENO_INFO("event");
  EXPECT_TRUE(steno::flush().ok());
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(lines, Messages{"event"});
  }
  EXPECT_TRUE(steno::dump_recorder().ok());
  STENO_DEBUG("never shown");
  steno::stop();
  const std::lock_guard lock(mutex);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "detail"), lines.end());
  EXPECT_EQ(std::find(lines.begin(), lines.end(), "never shown"), lines.end());
}

TEST_F(RecorderTest, RotationKeepsIt) {
  start(recording());
  STENO_DEBUG("before");
  STENO_INFO("event");
  EXPECT_TRUE(steno::rotate().ok());
  STENO_DEBUG("behind");
  EXPECT_TRUE(steno::dump_recorder().ok());
  const Messages all = messages();  // of the file that was begun
  EXPECT_EQ(all,
            (Messages{"before", "behind", "flight recorder: 2 records kept, 0 before them not: it was asked for"}));
}

TEST_F(RecorderTest, SessionsMayHaveOneOrNot) {
  start(recording());
  STENO_DEBUG("forgotten");
  steno::stop();
  start();
  STENO_DEBUG("written at once");
  steno::stop();
  start(recording());
  STENO_DEBUG("again");
  EXPECT_TRUE(steno::dump_recorder().ok());
  EXPECT_EQ(messages(),
            (Messages{"flight recorder: 0 records kept, 1 before them not: the session ended", "written at once",
                      "again", "flight recorder: 1 records kept, 0 before them not: it was asked for"}));
}

TEST_F(RecorderTest, ADeadProcessLeavesWhatItHad) {
  in_child_that_leaves([&] {
    start(recording());
    for (int i = 0; i < 100; ++i) STENO_DEBUG("detail {}", i);
    (void)steno::flush();  // to the recorder
    STENO_INFO("event");
    (void)steno::flush();
    for (int i = 100; i < 200; ++i) STENO_DEBUG("detail {}", i);
    STENO_INFO("last");
  });
  const auto check = [&](const char* when) {
    const Log log = read_log(path());
    EXPECT_EQ(log.losses, Messages()) << when;
    ASSERT_EQ(log.rows.size(), 204u) << when;
    Messages details;
    for (const Row& row : log.rows) {
      if (row.message.starts_with("detail")) details.push_back(row.message);
    }
    ASSERT_EQ(details.size(), 200u) << when;
    for (int i = 0; i < 200; ++i)
      EXPECT_EQ(details[static_cast<std::size_t>(i)], "detail " + std::to_string(i)) << when;
  };
  check("as staging");
  start();  // recovers it
  steno::stop();
  check("recovered");
}

TEST_F(RecorderTest, OptionsAreChecked) {
  const auto error_of = [&](const std::function<void(steno::Options*)>& change) {
    steno::Options options = recording();
    options.path = path();
    change(&options);
    const steno::Status status = steno::try_start(options);
    EXPECT_EQ(status.code(), steno::StatusCode::kInvalidArgument) << status.message();
    return std::string(status.message());
  };
  EXPECT_EQ(error_of([](auto* o) { o->recorder.trigger = Level::kDebug; }),
            "recorder: trigger is below recorder.below, but such records go to the recorder and trigger nothing");
  EXPECT_EQ(error_of([](auto* o) { o->recorder.bytes = std::size_t{1} << 31; }),
            "recorder: bytes is 2147483648; the maximum is 1 GiB");
  EXPECT_EQ(error_of([](auto* o) { o->recorder.time = std::chrono::milliseconds(-1); }),
            "recorder: time must not be negative");
}

}  // namespace
}  // namespace steno_test
