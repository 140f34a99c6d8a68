// Files that the scribe rotates itself: by size, by time and on request, while threads log. Nothing is lost, nothing is
// there twice, each file stands alone, and only what is ours is ever removed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "faulty_system.h"
#include "logfile/rotator.h"
#include "numbered.h"
#include "sandbox.h"

namespace steno_test {
namespace {

namespace fs = std::filesystem;

constexpr int kProducers = 4;
constexpr std::int64_t kHourNs = 3'600'000'000'000;

class OwnRotationTest : public LogTest {
 protected:
  steno::Options options(bool scribe_thread = true) {
    steno::Options options;
    options.path = path();
    options.ring_bytes = 65536;
    options.scribe_thread = scribe_thread;
    options.flush_interval = std::chrono::milliseconds(20);
    options.rotation.name = "{stem}.{n}{ext}";
    options.on_warning = warnings_.listener();
    return options;
  }
  // log.1.steno and on, and the live one.
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (int i = 1; fs::exists(closed(i)); ++i) out.push_back(closed(i));
    if (fs::exists(path())) out.push_back(path());
    return out;
  }
  std::string closed(int number) const { return path("log." + std::to_string(number) + ".steno"); }
  std::size_t closed_files() const {
    std::size_t n = 0;
    for (const auto& entry : fs::directory_iterator(directory_)) n += entry.path() != path() ? 1 : 0;
    return n;
  }
  void expect_each_stands_alone() {
    for (const std::string& file : files()) {
      const Log log = read_log(file);
      EXPECT_EQ(log.sessions, 1u) << file;
      EXPECT_TRUE(log.losses.empty()) << file;
    }
  }

  Warnings warnings_;
};

TEST_F(OwnRotationTest, BySizeWhileThreadsLog) {
  for (const bool scribe_thread : {true, false}) {
    for (const std::string& file : files()) fs::remove(file);
    steno::Options with = options(scribe_thread);
    with.rotation.max_bytes = 16384;
    start(with);
    Producers producers(kProducers);
    EXPECT_TRUE(eventually([&] {
      (void)steno::poll();
      return closed_files() >= 3;
    }));
    producers.stop();
    steno::stop();
    expect_complete(files(), producers.counts());
    expect_each_stands_alone();
    for (const std::string& file : files()) {
      if (file == path()) continue;
      EXPECT_GE(fs::file_size(file), 16384u);
    }
    EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
  }
}

// A pipe stands for a device such as /dev/null, which root could rename.
TEST_F(OwnRotationTest, WhatIsNoFileIsNotRenamed) {
  std::vector<int> ends;
  for (const std::string& pipe : {path(), path("text")}) {
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    ends.push_back(::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }
  steno::Options with = options();
  with.rotation.max_bytes = 4096;
  with.rotation.on_start = true;
  with.sinks.push_back({.path = path("text"), .rotation = with.rotation});
  start(with);
  for (int i = 0; i < 3; ++i) {
    STENO_ERROR("into pipes {}", i);
    (void)steno::rotate();
  }
  steno::stop();
  bool renamed = true;
  const auto go_on = [&](bool was) {
    renamed = was;
    return steno::Status();
  };
  steno::logfile::Rotator rotator(with.rotation, path(), steno::logfile::Rotator::Kind::kText);
  EXPECT_TRUE(rotator.rotate(ends[0], go_on, [](const std::string& what) { ADD_FAILURE() << what; }).ok());
  EXPECT_FALSE(renamed);
  EXPECT_TRUE(fs::is_fifo(path()));
  EXPECT_TRUE(fs::is_fifo(path("text")));
  EXPECT_EQ(closed_files(), 1u) << "the other pipe";
  for (const int end : ends) ::close(end);
  fs::remove(path());
}

TEST_F(OwnRotationTest, OnRequestOfManyThreads) {
  start(options());
  Producers producers(kProducers);
  ASSERT_TRUE(producers.logs(100));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(steno::rotate().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  producers.stop();
  steno::stop();
  EXPECT_GE(closed_files(), 1u);
  expect_complete(files(), producers.counts());
  expect_each_stands_alone();
  EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
}

TEST_F(OwnRotationTest, WhatWasLoggedBeforeIsInTheClosedFile) {
  for (const bool scribe_thread : {true, false}) {
    for (const std::string& file : files()) fs::remove(file);
    start(options(scribe_thread));
    EXPECT_TRUE(steno::rotate().ok());
    EXPECT_EQ(closed_files(), 0u) << "there was nothing to close";
    STENO_INFO("before");
    EXPECT_TRUE(steno::rotate().ok());
    STENO_INFO("after");
    ASSERT_TRUE(fs::exists(closed(1)));
    EXPECT_TRUE(steno::flush().ok());
    EXPECT_EQ(steno::stats().records, 2u);
    EXPECT_GT(steno::stats().bytes, fs::file_size(closed(1))) << "they are those of both files";
    const Log log = read_log(closed(1));
    ASSERT_EQ(log.rows.size(), 1u);
    EXPECT_EQ(log.rows[0].message, "before");
    EXPECT_TRUE(log.losses.empty()) << "it is final";
    EXPECT_EQ(finish().rows.at(0).message, "after");
    EXPECT_EQ(closed_files(), 1u);
    EXPECT_FALSE(steno::rotate().ok()) << "no session runs";
  }
}

TEST_F(OwnRotationTest, ASessionOfItsOwnRotates) {
  auto session = steno::Session::open(options());
  ASSERT_TRUE(session.ok());
  STENO_LOG_TO(session->logger("own"), INFO, "before");
  EXPECT_TRUE(session->rotate().ok());
  EXPECT_TRUE(session->stop().ok());
  EXPECT_FALSE(session->rotate().ok());
  EXPECT_EQ(read_log(closed(1)).rows.size(), 1u);
  EXPECT_EQ(read_log(path()).rows.size(), 0u);
}

TEST_F(OwnRotationTest, ByTime) {
  FaultySystem system;
  steno::Options with = options();
  with.rotation.when = "every 12h";
  start(with);
  STENO_INFO("in the first half of a day");
  EXPECT_TRUE(steno::flush().ok());
  EXPECT_EQ(closed_files(), 0u);
  system.later = 12 * kHourNs;
  ASSERT_TRUE(eventually([&] { return closed_files() == 1; })) << "though nothing is logged";
  system.later = 24 * kHourNs;  // nothing was logged since: nothing is closed
  EXPECT_TRUE(eventually([&] { return fs::exists(path()) && fs::file_size(path()) != 0; }));
  EXPECT_TRUE(steno::flush().ok());
  STENO_INFO("in the third");
  EXPECT_TRUE(steno::flush().ok());
  steno::stop();
  EXPECT_EQ(closed_files(), 1u);
  EXPECT_EQ(read_log(closed(1)).rows.size(), 1u);
  EXPECT_EQ(read_log(path()).rows.size(), 1u);
  // Begun before a boundary, opened after it.
  system.later = 48 * kHourNs;
  start(with);
  EXPECT_EQ(closed_files(), 2u);
  STENO_INFO("days later");
  EXPECT_EQ(finish().rows.size(), 1u);
  EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
}

// No file waits then for the time that it was before.
TEST_F(OwnRotationTest, ByTimeAfterTheClockWasSetBack) {
  FaultySystem system;
  steno::Options with = options();
  with.rotation.when = "every 12h";
  start(with);
  STENO_INFO("before");
  EXPECT_TRUE(steno::flush().ok());
  system.later = -48 * kHourNs;
  STENO_INFO("after");
  EXPECT_TRUE(steno::flush().ok());
  EXPECT_EQ(closed_files(), 0u);
  system.later = -36 * kHourNs;
  EXPECT_TRUE(eventually([&] { return closed_files() == 1; }));
  steno::stop();
  // A file that was begun before, by another process.
  start(with);
  STENO_INFO("in a file of a later time");
  EXPECT_TRUE(steno::flush().ok());
  EXPECT_EQ(closed_files(), 1u);
  system.later = -24 * kHourNs;
  EXPECT_TRUE(eventually([&] { return closed_files() == 2; }));
}

TEST_F(OwnRotationTest, OnStart) {
  steno::Options with = options();
  with.rotation.on_start = true;
  for (int run = 0; run < 3; ++run) {
    start(with);
    STENO_INFO("run {}", run);
    steno::stop();
    EXPECT_EQ(closed_files(), static_cast<std::size_t>(run));
    const Log log = read_log(path());
    ASSERT_EQ(log.rows.size(), 1u);
    EXPECT_EQ(log.rows[0].message, "run " + std::to_string(run));
  }
  // A start does not rotate a file that another session writes.
  auto session = steno::Session::open(options());
  ASSERT_TRUE(session.ok());
  start(with);
  EXPECT_EQ(closed_files(), 2u);
}

TEST_F(OwnRotationTest, ATakenNameIsNotOverwritten) {
  steno::Options with = options();
  with.rotation.name = "{stem}.{date}{ext}";
  start(with);
  for (int i = 0; i < 3; ++i) {
    STENO_INFO("part {}", i);
    EXPECT_TRUE(steno::rotate().ok());
  }
  steno::stop();
  EXPECT_EQ(closed_files(), 3u);
  std::size_t records = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) records += read_log(entry.path()).rows.size();
  EXPECT_EQ(records, 3u);
}

TEST_F(OwnRotationTest, OldFilesAreRemovedAndNothingElse) {
  std::ofstream(path("log.7.steno")) << "no log, though its name looks like one";
  std::ofstream(path("log.notes.steno")) << "a name that is not ours";
  fs::create_symlink(path("log.notes.steno"), path("log.8.steno"));
  fs::create_directory(path("log.9.steno"));
  ASSERT_EQ(mkfifo(path("log.10.steno").c_str(), 0600), 0);
  auto other = steno::Session::open(path("log.6.steno"));  // a live log under such a name
  ASSERT_TRUE(other.ok());
  STENO_LOG_TO(other->logger("other"), INFO, "kept");
  steno::Options with = options();
  with.rotation.keep = 2;
  start(with);
  for (int i = 0; i < 5; ++i) {
    STENO_INFO("part {}", i);
    EXPECT_TRUE(steno::rotate().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the clock of files is a coarse one
  }
  steno::stop();
  (void)other->stop();
  for (const char* name :
       {"log.6.steno", "log.7.steno", "log.notes.steno", "log.8.steno", "log.9.steno", "log.10.steno"})
    EXPECT_TRUE(fs::exists(fs::symlink_status(path(name)))) << name;
  EXPECT_EQ(read_log(path("log.6.steno")).rows.size(), 1u);
  std::vector<std::string> kept;
  for (int i = 11; i < 30; ++i) {
    if (fs::exists(closed(i))) kept.push_back(read_log(closed(i)).rows.at(0).message);
  }
  EXPECT_EQ(kept, (std::vector<std::string>{"part 3", "part 4"}));
  EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
}

TEST_F(OwnRotationTest, OldFilesOfEarlierRunsGoByAgeAndBytes) {
  FaultySystem system;
  start(options());
  for (int i = 0; i < 3; ++i) {
    STENO_INFO("part {}", i);
    EXPECT_TRUE(steno::rotate().ok());
  }
  STENO_INFO("the last");
  steno::stop();
  ASSERT_EQ(closed_files(), 3u);
  steno::Options with = options();
  with.rotation.keep_bytes = 1;
  with.rotation.keep_for = std::chrono::hours(100);
  fs::last_write_time(closed(1), fs::last_write_time(closed(1)) - std::chrono::hours(101));
  with.rotation.keep_bytes = fs::file_size(closed(2)) + fs::file_size(closed(3));
  start(with);
  EXPECT_FALSE(fs::exists(closed(1)));
  EXPECT_TRUE(fs::exists(closed(2)));
  steno::stop();
  with.rotation.keep_bytes -= 1;
  start(with);
  EXPECT_FALSE(fs::exists(closed(2)));
  EXPECT_TRUE(fs::exists(closed(3)));
  steno::stop();
  system.later = 101 * kHourNs;
  start(with);
  EXPECT_FALSE(fs::exists(closed(3)));
  EXPECT_FALSE(finish().rows.empty()) << "the live file is not removed";
}

TEST_F(OwnRotationTest, WithoutLocksOldFilesGoOnceTheyAreQuiet) {
  for (const int error : {EINVAL, ENOLCK, EOPNOTSUPP}) {
    for (const auto& entry : fs::directory_iterator(directory_)) fs::remove(entry.path());
    FaultySystem system;
    system.lock_error = error;
    steno::Options with = options();
    with.rotation.keep = 1;
    start(with);
    for (int i = 0; i < 3; ++i) {
      STENO_INFO("part {}", i);
      EXPECT_TRUE(steno::rotate().ok());
    }
    EXPECT_EQ(closed_files(), 3u) << "somebody may write to them still, error " << error;
    system.later = 61'000'000'000;  // another machine, whose clock is behind ours, gives files their times
    STENO_INFO("the next part");
    EXPECT_TRUE(steno::rotate().ok());
    EXPECT_EQ(closed_files(), 4u) << "they were written a moment ago by the clock of the files, error " << error;
    system.later = -61'000'000'000;
    for (int i = 1; i <= 3; ++i) {
      fs::last_write_time(closed(i), fs::last_write_time(closed(i)) - std::chrono::seconds(61));
    }
    STENO_INFO("the last part");
    EXPECT_TRUE(steno::rotate().ok());
    EXPECT_EQ(closed_files(), 2u) << "the oldest three are quiet, error " << error;
    EXPECT_TRUE(fs::exists(closed(4)));
    steno::stop();
  }
}

TEST_F(OwnRotationTest, ARenameThatFailsIsSaidOnceAndLoggingGoesOn) {
  FaultySystem system;
  steno::Options with = options(false);
  with.rotation.max_bytes = 4096;
  start(with);
  system.rename_error = EROFS;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 200; ++k) STENO_INFO("{} {}", i, k * 7919 * i);
    EXPECT_TRUE(steno::flush().ok());
    EXPECT_FALSE(steno::rotate().ok());
  }
  EXPECT_EQ(warnings_.count("cannot be rotated"), 1u) << warnings_.text();
  EXPECT_EQ(closed_files(), 0u);
  system.rename_error = 0;
  EXPECT_TRUE(steno::rotate().ok());
  EXPECT_EQ(closed_files(), 1u);
  EXPECT_EQ(read_log(closed(1)).rows.size(), 1000u);
  EXPECT_EQ(warnings_.count(), 1u) << warnings_.text();
}

TEST_F(OwnRotationTest, OverALinkTheFileItLeadsToIsRenamed) {
  fs::create_directory(path("elsewhere"));
  fs::create_symlink(path("elsewhere/real.log"), path());
  start(options());
  STENO_INFO("before");
  EXPECT_TRUE(steno::rotate().ok());
  STENO_INFO("after");
  steno::stop();
  EXPECT_TRUE(fs::is_symlink(path()));
  EXPECT_EQ(read_log(path("elsewhere/real.1.log")).rows.size(), 1u);
  EXPECT_EQ(read_log(path("elsewhere/real.log")).rows.size(), 1u);
}

// Each rotates, at the same size: nothing is lost, and a file is closed by one of them.
TEST_F(OwnRotationTest, SessionsThatWriteOneFile) {
  steno::Options with = options();
  with.rotation.max_bytes = 16384;
  start(with);
  auto session = steno::Session::open(with);
  ASSERT_TRUE(session.ok());
  const steno::Logger other = session->logger("other");
  std::atomic<std::uint64_t> logged{0};
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop) {
      STENO_LOG_TO(other, INFO, "{} {}", logged.load(), logged.load() * 7919);
      if (logged.fetch_add(1) % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  Producers producers(2);
  EXPECT_TRUE(eventually([&] { return closed_files() >= 6; }));
  producers.stop();
  stop = true;
  thread.join();
  EXPECT_TRUE(session->stop().ok());
  steno::stop();
  std::uint64_t records = 0;
  for (const std::string& file : files()) {
    const Log log = read_log(file);
    records += log.rows.size();
    EXPECT_TRUE(log.losses.empty()) << file;
    if (file == path()) continue;
    EXPECT_GE(fs::file_size(file), 16384u) << "closed twice";
  }
  std::uint64_t expected = logged;
  for (const std::uint64_t count : producers.counts()) expected += count;
  EXPECT_EQ(records, expected);
  EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
}

TEST_F(OwnRotationTest, AForkedChildRotates) {
  if (steno::test::kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer cannot start threads in such a child";
  steno::Options with = options();
  with.rotation.on_start = true;  // not in the child
  start(with);
  STENO_INFO("of the parent");
  EXPECT_TRUE(steno::flush().ok());
  in_child([&] {
    STENO_INFO("of the child");
    EXPECT_EQ(closed_files(), 0u);
    EXPECT_TRUE(steno::rotate().ok());
    STENO_INFO("of the child, later");
    EXPECT_TRUE(steno::flush().ok());
  });
  STENO_INFO("of the parent, later");
  steno::stop();
  std::size_t records = 0;
  for (const std::string& file : files()) records += read_log(file).rows.size();
  EXPECT_EQ(records, 4u);
  EXPECT_EQ(closed_files(), 1u);
}

TEST_F(OwnRotationTest, WhileTheDiskIsFull) {
  FaultySystem system;
  steno::Options with = options();
  with.block_at_most = steno::kForever;
  with.rotation.max_bytes = 8192;
  start(with);
  Producers producers(kProducers);
  ASSERT_TRUE(eventually([&] { return closed_files() >= 1; }));
  system.write_error = ENOSPC;
  EXPECT_TRUE(eventually([&] { return system.refused() != 0; }));
  EXPECT_FALSE(steno::rotate().ok());
  system.write_error = 0;
  const std::size_t before = closed_files();
  EXPECT_TRUE(eventually([&] { return closed_files() > before; }));
  producers.stop();
  steno::stop();
  expect_complete(files(), producers.counts());
}

TEST_F(OwnRotationTest, ImpossibleOptionsAreNamed) {
  steno::Options with = options();
  with.rotation.when = "dayly";
  EXPECT_NE(steno::try_start(with).message().find("rotation.when"), std::string::npos);
  with = options();
  with.rotation.name = "{stem}{ext}";
  EXPECT_NE(steno::try_start(with).message().find("rotation.name"), std::string::npos);
  with = options();
  with.rotation.max_bytes = 1;
  EXPECT_NE(steno::try_start(with).message().find("rotation.max_bytes"), std::string::npos);
}

}  // namespace
}  // namespace steno_test
