// A whole log through everything that a write can answer: under `block` nothing is missing, under `drop` what is
// missing is named; one warning tells that it fails, one that it goes on.
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "faulty_system.h"
#include "numbered.h"
#include "reader/log_file.h"
#include "ring/ring_access.h"
#include "runtime/core.h"

namespace steno_test {
namespace {

constexpr int kThreads = 4;

struct Fault {
  const char* name;
  int error;
};

struct Mode {
  const char* name;
  bool scribe_thread;
  bool drop;
};

class WriteFaultTest : public LogTest, public ::testing::WithParamInterface<std::tuple<Fault, Mode>> {};

TEST_P(WriteFaultTest, ItFailsAndComesBack) {
  const auto& [fault, mode] = GetParam();
  FaultySystem system;
  Warnings warnings;
  steno::Options options;
  options.ring_bytes = 65536;
  options.scribe_thread = mode.scribe_thread;
  options.when_full = mode.drop ? steno::WhenFull::kDrop : steno::WhenFull::kBlock;
  options.when_full_at = {{steno::Level::kError, steno::WhenFull::kBlock}};
  options.block_at_most = steno::kForever;
  options.on_warning = warnings.listener();
  start(options);
  Producers producers(kThreads);
  std::atomic<bool> polling{!mode.scribe_thread};
  std::thread poller([&] {
    while (polling) {
      (void)steno::poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_TRUE(producers.logs(2000));
  system.room = 1000;  // ends inside a block
  EXPECT_TRUE(eventually([&] { return warnings.count() == 1; }));
  system.write_error = fault.error;
  // Under `drop` too all end up waiting: for a place for one of the protected level.
  EXPECT_TRUE(producers.all_wait());
  EXPECT_FALSE(steno::flush().ok());
  const std::uint64_t refused = system.refused();
  EXPECT_TRUE(eventually([&] { return system.refused() > refused + 3; })) << "it is not tried again";
  EXPECT_EQ(warnings.count(), 1u) << warnings.text();
  system.write_error = 0;
  system.room = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(producers.logs(5000));
  EXPECT_TRUE(steno::flush().ok());
  producers.stop();
  polling = false;
  poller.join();
  steno::stop();
  EXPECT_EQ(warnings.count(), 2u) << warnings.text();
  EXPECT_EQ(warnings.count("cannot write to " + path()), 1u) << warnings.text();
  EXPECT_EQ(warnings.count("can be written again"), 1u) << warnings.text();
  if (mode.drop) {
    expect_drops_only({path()}, producers.counts(), true);
  } else {
    expect_complete({path()}, producers.counts());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WriteFaultTest,
    ::testing::Combine(::testing::Values(Fault{"DiskFull", ENOSPC}, Fault{"Quota", EDQUOT}, Fault{"ReadOnly", EROFS},
                                         Fault{"IoError", EIO}),
                       ::testing::Values(Mode{"Block", true, false}, Mode{"Drop", true, true},
                                         Mode{"PolledBlock", false, false}, Mode{"PolledDrop", false, true})),
    [](const auto& test) { return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name; });

using WriteFaults = LogTest;

// A bad line: everything is short, interrupted, or fails at random, from the first write to the last but one.
TEST_F(WriteFaults, AnyMixOfFaultsLeavesAWholeFile) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::filesystem::remove(path());
    FaultySystem system;
    system.seed(seed);
    Warnings warnings;
    steno::Options options;
    options.ring_bytes = 16384;
    options.sync = steno::Sync::kEachBlock;
    options.block_at_most = steno::kForever;
    options.on_warning = warnings.listener();
    start(options);
    system.interrupted = 30;
    system.shortened = 60;
    system.failed = 20;
    Producers producers(kThreads);
    EXPECT_TRUE(producers.logs(4000));
    producers.stop();
    system.failed = 0;
    EXPECT_TRUE(eventually([] { return steno::flush().ok(); }));
    steno::stop();
    EXPECT_GT(system.refused(), 0u);
    EXPECT_GT(system.short_writes(), 0u);
    EXPECT_GT(system.interruptions(), 0u);
    // Each failure and each recovery was told, in turn.
    const std::vector<std::string> heard = warnings.heard();
    EXPECT_EQ(heard.size() % 2, 0u) << warnings.text();
    for (std::size_t i = 0; i < heard.size(); ++i) {
      EXPECT_NE(heard[i].find(i % 2 == 0 ? "cannot write" : "can be written again"), std::string::npos) << heard[i];
    }
    expect_complete({path()}, producers.counts());
  }
}

// A test's system ends with the test, its session only after that.
TEST_F(WriteFaults, MayEndWhileASessionWrites) {
  start({});
  Producers producers(1);
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    {
      const FaultySystem system([&] {
        ++begun;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++ended;
      });
      EXPECT_TRUE(eventually([&] { return begun != 0; }));
    }
    EXPECT_EQ(begun, ended) << "a call is in a system that has ended";
  }
  producers.stop();
  EXPECT_EQ(finish().rows.size(), static_cast<std::size_t>(producers.counts()[0]));
}

TEST_F(WriteFaults, ASyncThatFailsIsReportedOnceAndLoggingGoesOn) {
  FaultySystem system;
  Warnings warnings;
  steno::Options options;
  options.ring_bytes = 16384;
  options.sync = steno::Sync::kEachBlock;
  options.on_warning = warnings.listener();
  start(options);
  Producers producers(2);
  EXPECT_TRUE(producers.logs(1000));
  system.sync_error = EIO;
  EXPECT_TRUE(producers.logs(20000));
  EXPECT_EQ(warnings.count("cannot force " + path() + " to the disk"), 1u);
  system.sync_error = 0;
  EXPECT_TRUE(producers.logs(20000));
  producers.stop();
  steno::stop();
  EXPECT_LE(warnings.count(), 2u);
  expect_complete({path()}, producers.counts());
}

// The disk is still full when the program ends its session: what is not on file is said, and nothing else is lost.
TEST_F(WriteFaults, StoppedWhileFullTheNextStartTakesTheRestAlong) {
  FaultySystem system;
  Warnings warnings;
  steno::Options options;
  options.ring_bytes = 131072;
  options.when_full = steno::WhenFull::kDrop;
  options.on_warning = warnings.listener();
  start(options);
  for (std::uint64_t i = 0; i < 500; ++i) log_number(0, i);
  EXPECT_TRUE(steno::flush().ok());
  system.room = 100;
  for (std::uint64_t i = 500; i < 1000; ++i) log_number(0, i);
  EXPECT_FALSE(steno::flush().ok());
  steno::stop();
  EXPECT_EQ(warnings.count(), 2u) << warnings.text();  // that it fails; that it ends like this
  system.room = std::numeric_limits<std::int64_t>::max();
  for (std::uint64_t i = 1000; i < 1500; ++i) log_number(0, i);
  start(options);
  for (std::uint64_t i = 1500; i < 2000; ++i) log_number(0, i);
  steno::stop();
  const Tally found = tally({path()}, {2000});
  EXPECT_EQ(found.missing, 0u);
  EXPECT_EQ(found.records, 2000u);
}

// `anew`: the file is truncated meanwhile, and what it had not taken is walked again.
class UnreadableBytes : public LogTest, public ::testing::WithParamInterface<bool> {};

TEST_P(UnreadableBytes, AreReportedOnceThoughTheSameWriteFails) {
  FaultySystem system;
  Warnings warnings;
  steno::Options options;
  options.scribe_thread = false;
  options.block_at_most = steno::kForever;
  options.on_warning = warnings.listener();
  start(options);
  log_number(0, 0);
  EXPECT_TRUE(steno::flush().ok());
  log_number(0, 1);
  log_number(0, 2);
  steno::runtime::RingPool& rings = steno::runtime::core_at(0)->rings();
  for (std::uint32_t i = 0; i < rings.count(); ++i) {
    const steno::runtime::Ring& ring = rings.at(i);
    const std::uint64_t head = steno::ring::load_head(ring.memory.header);
    const std::uint64_t tail = steno::ring::load_tail(ring.memory.header);
    // The header of the second one.
    if (head != tail) std::memset(const_cast<std::byte*>(ring.at(head + (tail - head) / 2)), 0, 8);
  }
  system.write_error = ENOSPC;
  EXPECT_FALSE(steno::flush().ok());
  if (GetParam()) std::filesystem::resize_file(path(), 0);
  system.write_error = 0;
  (void)steno::flush();
  EXPECT_TRUE(steno::flush().ok());
  const std::vector<std::string> found = messages();
  const auto reports = std::count_if(found.begin(), found.end(), [](const std::string& message) {
    return message.find("bytes of a ring cannot be read") != std::string::npos;
  });
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(found.size(), GetParam() ? 2u : 3u);
}

INSTANTIATE_TEST_SUITE_P(All, UnreadableBytes, ::testing::Bool());

// No other process can read that.
TEST_F(WriteFaults, WhatStaysInPrivateMemoryIsNotPromisedToRecovery) {
  in_process_of_its_own([this] {
    const rlimit no_files = {0, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &no_files), 0);
    steno::prepare_thread();
    const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    ASSERT_TRUE(steno::runtime::core_at(0)->staging().path().empty());
    FaultySystem system;
    Warnings warnings;
    start({.on_warning = warnings.listener()});
    system.room = 0;
    log_number(0, 0);
    steno::stop();
    EXPECT_EQ(warnings.count("stay in the memory of this process"), 1u) << warnings.text();
    EXPECT_EQ(warnings.count("recover"), 0u) << warnings.text();
    system.room = std::numeric_limits<std::int64_t>::max();
    start();
    EXPECT_EQ(finish().rows.size(), 1u);
  });
}

// Records that the flight recorder holds were not to be written.
TEST_F(WriteFaults, RecordsOfTheFlightRecorderAreNotCountedAsUnwritten) {
  FaultySystem system;
  Warnings warnings;
  steno::Options options;
  options.recorder.below = steno::Level::kInfo;
  options.on_warning = warnings.listener();
  start(options);
  for (int i = 0; i < 1000; ++i) STENO_DEBUG("kept aside {}", i);
  EXPECT_TRUE(steno::flush().ok());
  system.room = 0;
  STENO_INFO("to be written");
  steno::stop();
  std::size_t bytes = 0;
  for (const std::string& warning : warnings.heard()) {
    const std::size_t at = warning.find("the last ");
    if (at != std::string::npos) bytes = std::stoul(warning.substr(at + 9));
  }
  EXPECT_GT(bytes, 0u) << warnings.text();
  EXPECT_LT(bytes, 200u) << warnings.text();
  system.room = std::numeric_limits<std::int64_t>::max();
  start();
  finish();
}

// The default: the log's full disk must not take the program down, so that it waits a while and then loses records,
// which are counted. `scribe_thread` is the parameter.
class BoundedWait : public LogTest, public ::testing::WithParamInterface<bool> {
 protected:
  void begin(std::chrono::milliseconds block_at_most) {
    steno::Options options;
    options.ring_bytes = 65536;
    options.scribe_thread = GetParam();
    options.block_at_most = block_at_most;
    options.on_warning = warnings_.listener();
    start(options);
  }

  FaultySystem system_;
  Warnings warnings_;
};

TEST_P(BoundedWait, AFileThatCannotBeWrittenDoesNotHoldTheProgramUp) {
  begin(std::chrono::milliseconds(20));
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  system_.write_error = ENOSPC;
  // If each call waited, this would take longer than the test may.
  EXPECT_TRUE(producers.logs(20'000));
  EXPECT_TRUE(eventually([&] { return steno::poll(), warnings_.count("drop and count records until it can") == 1; }));
  EXPECT_EQ(warnings_.count(), 2u) << warnings_.text();
  system_.write_error = 0;
  EXPECT_TRUE(eventually([&] { return steno::flush().ok(); })) << "it goes on";
  const std::uint64_t on_file = steno::stats().records;
  EXPECT_TRUE(producers.logs(1000));
  producers.stop();
  EXPECT_TRUE(steno::flush().ok());
  EXPECT_GE(steno::stats().records, on_file + 1000);
  steno::stop();
  EXPECT_EQ(warnings_.count(), 3u) << warnings_.text();
  const Tally found = tally({path()}, producers.counts());
  EXPECT_GT(found.dropped, 0u);
  EXPECT_EQ(found.missing, found.dropped);
}

TEST_P(BoundedWait, AnotherOutageIsWaitedForAnew) {
  begin(std::chrono::milliseconds(20));
  for (const std::size_t outages : {1u, 2u}) {
    system_.write_error = ENOSPC;
    Producers producers(1);
    EXPECT_TRUE(eventually([&] { return steno::poll(), warnings_.count("drop and count records") == outages; }));
    system_.write_error = 0;
    producers.stop();
    EXPECT_TRUE(eventually([&] { return steno::flush().ok(); }));
    EXPECT_EQ(warnings_.count("can be written again"), outages) << warnings_.text();
  }
}

INSTANTIATE_TEST_SUITE_P(All, BoundedWait, ::testing::Bool());

// Strings that blocks share have numbers in the session, and a session that is carried on has had some already.
TEST_F(WriteFaults, StoppedWhileFullTheNextStartGivesStringsOtherNumbers) {
  std::vector<std::string> logged;
  const auto log_names = [&](char first) {
    for (int i = 0; i < 12'000; ++i) {
      std::mt19937 letters(static_cast<unsigned>(first + i * 7 % 400 * 256));
      std::string name(30, first);
      for (char& c : name) c = static_cast<char>('a' + letters() % 26);
      STENO_INFO("{}", name);
      logged.push_back(std::move(name));
      if (i % 1000 == 0) {
        EXPECT_TRUE(steno::flush().ok());
      }
    }
  };
  FaultySystem system;
  Warnings warnings;
  steno::Options options;
  options.on_warning = warnings.listener();
  start(options);
  log_names('A');
  EXPECT_TRUE(steno::flush().ok());
  system.room = 10;
  STENO_INFO("{}", "between");
  logged.emplace_back("between");
  steno::stop();
  system.room = std::numeric_limits<std::int64_t>::max();
  start(options);
  log_names('B');
  steno::stop();
  const Log log = read_log(path());
  EXPECT_EQ(log.sessions, 1u);
  EXPECT_TRUE(log.losses.empty());
  ASSERT_EQ(log.rows.size(), logged.size());
  for (std::size_t i = 0; i < logged.size(); ++i) ASSERT_EQ(log.rows[i].message, logged[i]) << i;
  steno::reader::Ordinals ordinals;
  const auto file = steno::reader::LogFile::open(path(), &ordinals);
  ASSERT_TRUE(file.ok());
  const auto kind = static_cast<std::uint8_t>(steno::format::BlockType::kStrings);
  EXPECT_GT((*file)->count_of(kind).blocks, 1u);  // else this tells nothing
}

TEST_F(WriteFaults, TheMostSevereAreDroppedLast) {
  for (const bool blocks : {true, false}) {
    const std::string log = path(blocks ? "blocks" : "drops");
    FaultySystem system;
    Warnings warnings;
    steno::Options options;
    options.path = log;
    options.ring_bytes = 65536;
    options.scribe_thread = false;
    options.when_full = blocks ? steno::WhenFull::kBlock : steno::WhenFull::kDrop;
    options.block_at_most = std::chrono::milliseconds(0);
    options.flush_level = steno::kLevelOff;
    options.on_warning = warnings.listener();
    start(options);
    system.write_error = ENOSPC;
    const auto dropped = [before = steno::stats().dropped] { return steno::stats().dropped - before; };
    std::uint64_t infos = 0;
    while (dropped() < 100) STENO_INFO("info {}", infos++);
    int severe = 0;
    for (; severe < 20; ++severe) STENO_WARN("severe {}", severe);
    while (dropped() < 200) STENO_WARN("warn");
    for (; severe < 40; ++severe) STENO_ERROR("severe {}", severe);
    while (dropped() < 300) STENO_ERROR("error");
    for (; severe < 60; ++severe) STENO_CRITICAL("severe {}", severe);
    EXPECT_EQ(dropped(), 300u);
    system.write_error = 0;
    steno::stop();
    int found = 0;
    for (const Row& row : read_log(log).rows) found += row.message.starts_with("severe");
    EXPECT_EQ(found, severe);
  }
}

// The disk fills up just as stop() reports what was refused. `again`: where the next session logs; `room`: how much of
// that record still fits.
class ReportThatDoesNotFit : public LogTest, public ::testing::WithParamInterface<std::tuple<std::string, int>> {
 protected:
  void begin(const std::string& name) {
    steno::Options options;
    options.path = path(name);
    options.ring_bytes = 4096;
    options.when_full = steno::WhenFull::kDrop;
    options.scribe_thread = false;
    options.on_warning = warnings_.listener();
    start(options);
  }
  // Ends the session on a full disk, runs another one, and returns what both say.
  std::vector<std::string> messages_of_both() {
    const auto& [again, room] = GetParam();
    EXPECT_TRUE(steno::flush().ok());
    system_.room = room;
    steno::stop();
    EXPECT_EQ(warnings_.count("could not be written"), 1u) << warnings_.text();
    system_.room = std::numeric_limits<std::int64_t>::max();
    begin(again);
    steno::stop();
    std::vector<std::string> messages;
    for (const std::string& name : std::set<std::string>{"log.steno", again}) {
      for (const Row& row : read_log(path(name)).rows) messages.push_back(row.message);
    }
    return messages;
  }

  FaultySystem system_;
  Warnings warnings_;
};

TEST_P(ReportThatDoesNotFit, DropsAreReportedByTheNextSession) {
  begin("log.steno");
  const std::uint64_t before = steno::stats().dropped;
  for (int i = 0; i < 10'000; ++i) STENO_INFO("{}", i);  // more than the ring of an earlier test holds
  const std::uint64_t dropped = steno::stats().dropped - before;
  ASSERT_GT(dropped, 0u);
  const std::vector<std::string> messages = messages_of_both();
  const std::string report = std::to_string(dropped) + " records dropped";
  EXPECT_EQ(messages.size(), 10'000 - dropped + 1);
  EXPECT_EQ(std::count_if(messages.begin(), messages.end(),
                          [&](const std::string& message) { return message.starts_with(report); }),
            1);
}

TEST_P(ReportThatDoesNotFit, DiscardsAreReportedByTheNextSession) {
  begin("log.steno");
  log_number(0, 0);
  for (int i = 0; i < 7; ++i) steno::runtime::core_at(0)->discards().add();
  const std::vector<std::string> messages = messages_of_both();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_NE((messages[0] + messages[1]).find("7 records discarded"), std::string::npos) << messages[0] << messages[1];
}

INSTANTIATE_TEST_SUITE_P(All, ReportThatDoesNotFit,
                         ::testing::Combine(::testing::Values(std::string("log.steno"), std::string("other.steno")),
                                            ::testing::Values(0, 20)));

TEST_F(WriteFaults, AStartOnAFullDiskFailsAndTheNextOneWorks) {
  FaultySystem system;
  system.room = 50;
  const steno::Status status = steno::try_start({.path = path()});
  EXPECT_EQ(status.code(), steno::StatusCode::kExhausted);
  EXPECT_NE(status.message().find("No space left"), std::string::npos) << status.message();
  log_number(0, 0);
  system.room = std::numeric_limits<std::int64_t>::max();
  start();
  log_number(0, 1);
  steno::stop();
  EXPECT_EQ(tally({path()}, {2}).records, 2u);
}

}  // namespace
}  // namespace steno_test
