// Following a log within the process that writes it: each record once, in order, wherever it is found. To be run one by
// one, as ctest does it: a process keeps its rings from session to session.
#include "follow/follower.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "../session/log_test.h"

namespace steno::follow {
namespace {

using std::chrono::hours;

// The records that a follower gave, by number and by time.
class Given {
 public:
  bool take(const reader::Slice& slice) {
    const reader::RunEntry& run = slice.block->file().run_of(slice.block->entry(), slice.begin);
    const std::uint64_t session = slice.block->session().info.session_id;
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      numbers_[{session, run.ring}].push_back(run.first_seq + (i - run.start));
      keys_.push_back(slice.block->session().clock.merge_key(slice.block->ticks(i)));
    }
    return true;
  }
  std::size_t records() const { return keys_.size(); }
  // Returns whether each ring's records came in order, none twice and none missing, from `first` on.
  bool is_whole(std::uint64_t first = 0) const {
    for (const auto& [ring, numbers] : numbers_) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != first + i) return false;
      }
    }
    return true;
  }
  // Compares times as they were known when each was given: a later clock point may bend later times back a little.
  bool in_order() const {
    constexpr std::uint64_t kBendNs = 100'000;
    std::int64_t latest = INT64_MIN;
    for (const std::int64_t key : keys_) {
      if (latest > key && static_cast<std::uint64_t>(latest) - static_cast<std::uint64_t>(key) > kBendNs) return false;
      latest = std::max(latest, key);
    }
    return true;
  }
  std::size_t rings() const { return numbers_.size(); }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>> numbers_;
  std::vector<std::int64_t> keys_;
};

class FollowerTest : public steno_test::LogTest {
 protected:
  static void log(int messages) {
    for (int i = 0; i < messages; ++i) STENO_INFO("number {}", i);
  }
  // Looks until so many records were given, for a minute at most; then some more, for what comes too often.
  void look(Follower& follower, std::size_t records, int more = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (given_.records() < records && std::chrono::steady_clock::now() < end) look_once(follower);
    for (int i = 0; i < more; ++i) look_once(follower);
    EXPECT_EQ(given_.records(), records);
    EXPECT_TRUE(more < 60 || !follower.holds());
  }
  void look_once(Follower& follower) {
    follower.poll([this](const reader::Slice& slice) { return given_.take(slice); });
    std::this_thread::sleep_for(std::chrono::nanoseconds(follower.pause()));
  }
  // Opens it; how many records there are.
  std::size_t open(Follower& follower) {
    reader::LogSet logs;
    std::vector<std::string> problems;
    if (!follower.open(&logs, &problems).ok()) return 0;
    std::size_t records = 0;
    for (const auto& session : logs.files()[0]->sessions()) records += session->records;
    return records;
  }

  Given given_;
};

TEST_F(FollowerTest, WhatStaysInTheRingsIsGivenOnce) {
  start({.ring_bytes = 1 << 22, .flush_interval = hours(1)});
  log(5000);
  Follower follower(path());
  EXPECT_EQ(open(follower), 5000u);
  look(follower, 0);
  log(10);
  look(follower, 10);
  log(20000);
  look(follower, 20010);
  ASSERT_TRUE(steno::flush().ok());  // the file has it all now
  look(follower, 20010);
  log(5);
  look(follower, 20015);
  steno::stop();
  look(follower, 20015);
  EXPECT_TRUE(given_.is_whole(5000));
  EXPECT_TRUE(given_.in_order());
}

// The rings have been overwritten several times between any two looks.
TEST_F(FollowerTest, WhatTheRingsNoLongerHaveComesFromTheFile) {
  start({.ring_bytes = 4096, .flush_interval = hours(1)});
  Follower follower(path());
  EXPECT_EQ(open(follower), 0u);
  constexpr int kThreads = 3;
  constexpr int kEach = 20000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([] { log(kEach); });
  look(follower, kThreads * kEach);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(given_.is_whole());
}

TEST_F(FollowerTest, OneThatFellBehindCatchesUpInParts) {
  start({.ring_bytes = 1 << 16, .flush_interval = hours(1)});
  for (const auto order : {Follower::Order::kTime, Follower::Order::kNone}) {
    Follower follower(path(), order, 1024);
    const std::size_t before = open(follower);
    given_ = {};
    for (int i = 0; i < 20; ++i) {  // blocks of a few KiB
      log(1000);
      ASSERT_TRUE(steno::flush().ok());
    }
    log(50);
    look(follower, 20050);
    EXPECT_TRUE(given_.is_whole(before));
    EXPECT_TRUE(given_.in_order());
  }
}

// Blocks that come refer to strings which came before the first look, and in one before.
TEST_F(FollowerTest, KnowsTheStringsThatBlocksShare) {
  const auto path_of = [](std::uint64_t i) {
    return "/some/long/path/to/the/file-" + std::to_string(i * i % 97 * 1315423911);
  };
  const auto log_paths = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) STENO_INFO("{i}: {path}", i, path_of(i));
    ASSERT_TRUE(steno::flush().ok());
  };
  start({.ring_bytes = 1 << 20, .flush_interval = hours(1)});
  for (std::uint64_t i = 0; i < 5; ++i) log_paths(1000 * i, 1000 * (i + 1));
  Follower follower(path(), Follower::Order::kTime, 1024);
  EXPECT_EQ(open(follower), 5000u);
  std::uint64_t given = 0;
  const auto check = [&](const reader::Slice& slice) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      text::Value values[2];
      slice.block->values(i, values);
      EXPECT_EQ(values[1].string, path_of(values[0].bits));
      ++given;
    }
    return true;
  };
  for (std::uint64_t i = 5; i < 15; ++i) {
    log_paths(1000 * i, 1000 * (i + 1));
    if (i % 3 == 0) follower.poll(check);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (given < 10'000 && std::chrono::steady_clock::now() < end) follower.poll(check);
  EXPECT_EQ(given, 10'000u);
  steno::stop();
  reader::Ordinals ordinals;
  const auto file = reader::LogFile::open(path(), &ordinals);
  ASSERT_TRUE(file.ok());
  EXPECT_NE((*file)->count_of(static_cast<std::uint8_t>(format::BlockType::kStrings)).blocks, 0u);
}

// Threads that log in turns, each when the other's call has returned.
TEST_F(FollowerTest, TheOrderIsThatOfTime) {
  start();
  Follower follower(path());
  EXPECT_EQ(open(follower), 0u);
  constexpr int kRounds = 1000;
  std::atomic<int> turn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&turn, t] {
      for (int i = 0; i < kRounds; ++i) {
        while (turn.load() % 3 != t) std::this_thread::yield();
        log(1);
        ++turn;
      }
    });
  }
  look(follower, 3 * kRounds);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(given_.rings(), 3u);
  EXPECT_TRUE(given_.is_whole());
  EXPECT_TRUE(given_.in_order());
}

// Records that no session has written when it ends belong to the next one, with numbers from 0.
TEST_F(FollowerTest, RecordsBetweenSessionsAreGivenOnce) {
  start({.flush_interval = hours(1)});
  Follower follower(path());
  EXPECT_EQ(open(follower), 0u);
  std::size_t logged = 0;
  for (int i = 1; i <= 5; ++i) {
    log(100 * i);
    look(follower, logged += 100 * static_cast<std::size_t>(i), 3);
    steno::stop();
    log(7);  // looked at before the next session, or not
    logged += 7;
    for (int k = 0; k < i * 10; ++k) look_once(follower);
    start({.flush_interval = hours(1)});
    look(follower, logged, 3);
  }
  steno::stop();
  look(follower, logged);
}

// A look costs no more for each session that the log ever had.
TEST_F(FollowerTest, SessionsThatHaveEndedAreForgotten) {
  const auto run = [this] {
    start();
    log(10);
    steno::stop();
  };
  for (int i = 0; i < 20; ++i) run();
  Follower follower(path());
  EXPECT_EQ(open(follower), 200u);
  for (std::size_t i = 1; i <= 20; ++i) {
    run();
    look(follower, 10 * i, 3);
  }
  start({.flush_interval = hours(1)});
  log(10);
  look(follower, 210, 3);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (follower.sessions() > 2 && std::chrono::steady_clock::now() < end) look_once(follower);
  EXPECT_LE(follower.sessions(), 2u) << "the one that runs, and the one before it";
  EXPECT_FALSE(follower.passed_over());
  log(10);
  look(follower, 220);
  steno::stop();
  look(follower, 220);
}

TEST_F(FollowerTest, ARotationLosesNothing) {
  start({.flush_interval = hours(1)});
  log(10);
  Follower follower(path());
  EXPECT_EQ(open(follower), 10u);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(std::rename(path().c_str(), path("old" + std::to_string(i)).c_str()), 0);
    for (int k = 0; k < 130; ++k) {  // the path is looked at once a second
      log(10);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (i == 0 || k % 20 == 0) look_once(follower);
    }
  }
  steno::stop();
  look(follower, 2600);
}

// Staging in a place of its own is known by the file only.
TEST_F(FollowerTest, StagingIsFoundThroughTheFile) {
  const std::string root = directory_ + "/staging";
  std::filesystem::create_directories(root);
  start({.flush_interval = hours(1), .staging_directory = root});
  log(10);
  Follower follower(path());
  EXPECT_EQ(open(follower), 10u);
  ASSERT_EQ(follower.staging().size(), 1u);
  // A process chooses once.
  if (!follower.staging()[0].starts_with(root)) GTEST_SKIP() << "has to run in a process of its own, as ctest does it";
  log(10);
  look(follower, 10);
  // A follower that was there first finds it too.
  steno::stop();
  const std::string later = path("later.steno");
  Follower waiting(later);
  EXPECT_EQ(open(waiting), 0u);
  given_ = {};
  start({.path = later, .flush_interval = hours(1), .staging_directory = root});
  log(30);
  look(waiting, 30);
  EXPECT_EQ(waiting.staging().size(), 1u);
}

// The first look gets the records that were logged before the rings were found and are not in the file.
TEST_F(FollowerTest, TheFirstLookIsDueAtOnce) {
  start({.flush_interval = hours(1)});
  log(10);
  Follower follower(path());
  EXPECT_EQ(open(follower), 10u);
  ASSERT_EQ(follower.staging().size(), 1u);
  const auto tail = live::StagingTail::open(follower.staging()[0]);
  ASSERT_TRUE(tail.ok());
  EXPECT_TRUE(tail.value()->moved());
  ByteBuffer blocks;
  tail.value()->look(&blocks);
  EXPECT_FALSE(blocks.empty());
  EXPECT_FALSE(tail.value()->moved());
}

// Statements, loggers and threads that the dictionary gets while it is followed.
TEST_F(FollowerTest, NewNamesAreKnownAtOnce) {
  start({.flush_interval = hours(1)});
  Follower follower(path());
  EXPECT_EQ(open(follower), 0u);
  std::size_t logged = 0;
  std::vector<std::string> names;
  std::vector<std::string> loggers;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "net." + std::to_string(i);
    std::thread([&name] {
      steno::set_thread_name(name);
      STENO_LOG_TO(steno::logger(name), INFO, "hello");
    }).join();
    const std::size_t before = names.size();
    for (int k = 0; k < 20000 && names.size() == before; ++k) {
      follower.poll([&](const reader::Slice& slice) {
        names.push_back(slice.thread->display());
        for (const auto& logger : slice.block->session().dictionary.all_loggers()) {
          if (logger.known) loggers.push_back(logger.info.name);
        }
        return given_.take(slice);
      });
      std::this_thread::sleep_for(std::chrono::nanoseconds(follower.pause()));
    }
    ASSERT_EQ(names.size(), ++logged);
    EXPECT_EQ(names.back(), name);
    EXPECT_EQ(std::count(loggers.begin(), loggers.end(), name), 1);
  }
}

// A clock that has nothing to do with ours: nothing waits for its time to come.
TEST_F(FollowerTest, TimeStampsThatAreNoTimeAreGivenAllTheSame) {
  static std::atomic<std::uint64_t> clock{4'000'000'000'000'000'000};  // in 2096
  start({.clock = Clock::kUser, .user_clock = [] { return clock.load(); }, .flush_interval = hours(1)});
  Follower follower(path());
  EXPECT_EQ(open(follower), 0u);
  log(10);
  look(follower, 10);
  clock = 1'500'000'000'000'000'000;  // and back
  log(10);
  look(follower, 20);
  EXPECT_TRUE(given_.is_whole());
}

// logrotate's `copytruncate` does this: the scribe begins a session anew.
TEST_F(FollowerTest, ATruncatedFileThatIsWrittenGoesOn) {
  start({.flush_interval = hours(1)});
  log(100);
  ASSERT_TRUE(steno::flush().ok());
  Follower follower(path());
  EXPECT_EQ(open(follower), 100u);
  std::filesystem::resize_file(path(), 0);
  log(10);
  ASSERT_TRUE(steno::flush().ok());
  look(follower, 10);
  log(10);
  ASSERT_TRUE(steno::flush().ok());
  look(follower, 20);
  steno::stop();
  look(follower, 20);
  EXPECT_TRUE(given_.is_whole());
  EXPECT_FALSE(follower.passed_over());
}

TEST_F(FollowerTest, ATruncatedFileBeginsAnew) {
  start({.flush_interval = hours(1)});
  log(100);
  steno::stop();
  Follower follower(path());
  EXPECT_EQ(open(follower), 100u);
  std::filesystem::resize_file(path(), 0);
  look(follower, 0);
  start({.flush_interval = hours(1)});
  log(10);
  look(follower, 10);
  steno::stop();
  look(follower, 10);
}

}  // namespace
}  // namespace steno::follow
