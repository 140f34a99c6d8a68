// Rings that grow by use, and become small again: order, numbers and drops are those of a queue that has no bound, or
// of one that drops (ring.md §4.4).
#include <steno/log.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../random_cases.h"
#include "../sanitizers.h"
#include "log_test.h"
#include "ring/layout.h"
#include "runtime/core.h"
#include "staging/memory.h"

namespace steno_test {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;

class RingGrowthTest : public LogTest {
 protected:
  // A session of its own, whose slot may have rings of tests before this one.
  void open(steno::Options options) {
    options.path = path();
    options.ring_bytes = kMost;
    auto session = steno::Session::open(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status().message();
    session_ = std::make_unique<steno::Session>(std::move(session).value());
    logger_ = std::make_unique<steno::Logger>(session_->logger("grows"));
  }
  steno::runtime::Core& core() const { return *steno::runtime::core_at(logger_->state()->slot); }
  // Returns the capacity of the largest ring.
  std::uint64_t capacity() const {
    std::uint64_t largest = 0;
    for (std::uint32_t i = 0; i < core().rings().count(); ++i)
      largest = std::max(largest, core().rings().at(i).extent().capacity);
    return largest;
  }
  static std::string text(std::uint64_t i, std::size_t size) { return std::to_string(i) + std::string(size, 'x'); }
  void log(std::uint64_t i, std::size_t size) { STENO_LOG_TO(*logger_, INFO, "{}", text(i, size)); }

  std::unique_ptr<steno::Session> session_;
  std::unique_ptr<steno::Logger> logger_;
};

std::uint64_t drops_in(const std::string& message) {
  const std::size_t at = message.find(" records dropped");
  return at == std::string::npos ? 0 : std::stoull(message);
}

TEST_F(RingGrowthTest, ABurstIsKeptThoughNobodyDrains) {
  in_process_of_its_own([this] {
    open({.when_full = steno::WhenFull::kDrop, .scribe_thread = false});
    constexpr std::uint64_t kRecords = 10000;  // 64 bytes each: forty times what a ring begins with
    std::thread([&] {
      for (std::uint64_t i = 0; i < kRecords; ++i) log(i, 32);
    }).join();
    EXPECT_EQ(capacity(), kMost);
    EXPECT_EQ(session_->stats().dropped, 0u);
    EXPECT_GE(session_->stats().staging_bytes, kMost);
    ASSERT_TRUE(session_->stop().ok());
    const Log log = read_log(path());
    ASSERT_EQ(log.rows.size(), kRecords);
    for (std::uint64_t i = 0; i < kRecords; ++i) ASSERT_EQ(log.rows[i].message, text(i, 32));
    // Nobody has that ring now.
    core().rings().shrink_free();
    EXPECT_EQ(capacity(), steno::runtime::kUsualRingBytes);
  });
}

TEST_F(RingGrowthTest, WhoPollsGivesBackTheMemoryOfRingsThatNobodyHas) {
  in_process_of_its_own([this] {
    open({.scribe_thread = false});
    std::thread([&] {
      for (std::uint64_t i = 0; i < 10000; ++i) log(i, 32);
    }).join();
    EXPECT_EQ(capacity(), kMost);
    EXPECT_TRUE(session_->flush().ok());
    (void)session_->poll();  // the first time, and then every ten seconds
    EXPECT_EQ(capacity(), steno::runtime::kUsualRingBytes);
  });
}

// Many threads log a line now and then; those that log more write larger blocks with a larger ring.
TEST_F(RingGrowthTest, AThreadBeginsWithLittleAndHasMoreOnceThatWasFull) {
  in_process_of_its_own([this] {
    open({.scribe_thread = false});
    std::thread([&] {
      log(0, 32);
      EXPECT_EQ(capacity(), steno::runtime::kFirstRingBytes);
      for (std::uint64_t i = 1; i < 2 * steno::runtime::kFirstRingBytes / 64; ++i) {
        log(i, 32);
        (void)session_->flush();
      }
      EXPECT_GE(capacity(), steno::runtime::kUsualRingBytes);
    }).join();
    EXPECT_EQ(session_->stats().dropped, 0u);
    ASSERT_TRUE(session_->stop().ok());
    EXPECT_EQ(read_log(path()).rows.size(), 2 * steno::runtime::kFirstRingBytes / 64);
  });
}

// If pages are larger than 4 KiB, each ring takes more than its capacity, and the limit is for what is taken.
TEST_F(RingGrowthTest, WholePagesCount) {
  static constexpr std::uint64_t kLimit = kMost;  // no less is possible: one ring may have as much
  static constexpr std::uint64_t kThreads = 8;
  for (const std::size_t page : {std::size_t{0}, std::size_t{1} << 14, std::size_t{1} << 16}) {
    in_process_of_its_own([this, page] {
      steno::staging::assume_page_bytes(page);
      open({.staging_limit = kLimit, .when_full = steno::WhenFull::kDrop, .scribe_thread = false});
      std::vector<std::thread> threads;
      std::atomic<std::uint64_t> ready{0};
      for (std::uint64_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
          log(0, 32);
          ready.fetch_add(1);
          while (ready.load() < kThreads) std::this_thread::yield();  // each has a ring of its own
          for (std::uint64_t i = 1; i < 5000; ++i) log(i, 32);
        });
      }
      for (std::thread& thread : threads) thread.join();
      std::uint64_t taken = 0;
      for (std::uint32_t i = 0; i < core().rings().count(); ++i) {
        const std::uint64_t bytes = steno::ring::kHeaderBytes + core().rings().at(i).memory.capacity;
        taken +=
            (bytes + steno::staging::page_bytes() - 1) / steno::staging::page_bytes() * steno::staging::page_bytes();
      }
      EXPECT_EQ(session_->stats().staging_bytes, taken) << page;
      EXPECT_LE(taken, std::max(kLimit, core().rings().count() * page)) << page;
      core().rings().shrink_free();
      EXPECT_LE(session_->stats().staging_bytes, taken) << page;
      EXPECT_EQ(session_->stats().staging_bytes % steno::staging::page_bytes(), 0u) << page;
      ASSERT_TRUE(session_->stop().ok());
    });
  }
}

TEST_F(RingGrowthTest, ALimitHoldsForAllRingsTogether) {
  open({.staging_limit = std::size_t{1} << 19, .when_full = steno::WhenFull::kDrop, .scribe_thread = false});
  core().rings().shrink_free();
  constexpr std::uint64_t kRecords = 10000;
  std::thread([&] {
    for (std::uint64_t i = 0; i < kRecords; ++i) log(i, 32);
  }).join();
  EXPECT_LE(capacity(), std::size_t{1} << 18);
  const std::uint64_t dropped = session_->stats().dropped;
  EXPECT_GT(dropped, 0u);
  ASSERT_TRUE(session_->stop().ok());
}

TEST_F(RingGrowthTest, LargeRecordsFindARingThatHoldsThem) {
  open({.when_full = steno::WhenFull::kDrop, .scribe_thread = false});
  std::thread([&] {
    for (std::uint64_t i = 0; i < 20; ++i) {
      log(i, i * 20000);
      if (i % 2 == 0) session_->poll();
      (void)session_->flush();
    }
  }).join();
  ASSERT_TRUE(session_->stop().ok());
  const Log log = read_log(path());
  ASSERT_EQ(log.rows.size(), 20u);
  for (std::uint64_t i = 0; i < 20; ++i)
    EXPECT_TRUE(log.rows[i].message == text(i, i * 20000)) << i << ": " << log.rows[i].message.substr(0, 40);
}

// Against a queue of any size: what was not dropped is there, in order, and each gap says how many are missing.
TEST_F(RingGrowthTest, AnyTrainOfRecordsGoesAsThroughAQueue) {
  const auto seeds = static_cast<unsigned>(steno::test::random_cases(12));
  for (unsigned seed = 0; seed < seeds; ++seed) {
    std::filesystem::remove(path());
    open({.when_full = steno::WhenFull::kDrop, .scribe_thread = false});
    std::mt19937 random(seed);
    std::vector<std::string> sent;
    std::vector<std::string> threads;
    const std::uint64_t records = steno::test::sampled(30000);
    for (std::uint64_t i = 0; i < records;) {
      const std::size_t largest = random() % 8 == 0 ? 20000 : random() % 3 == 0 ? 300 : 40;
      const unsigned polls = random() % 4 == 0 ? 1 << random() % 12 : 0;  // of how many records one is drained behind
      const std::uint64_t end = std::min(records, i + random() % 6000);
      std::thread([&] {
        for (; i < end; ++i) {
          sent.push_back(text(i, random() % largest));
          STENO_LOG_TO(*logger_, INFO, "{}", sent.back());
          if (polls != 0 && random() % polls == 0) (void)session_->flush();
        }
      }).join();
      if (random() % 2 == 0) (void)session_->flush();
      if (random() % 4 == 0) core().rings().shrink_free();
    }
    ASSERT_TRUE(session_->stop().ok());
    const Log log = read_log(path());
    std::uint64_t expected = 0;
    std::uint64_t told = 0;
    std::uint64_t missing = 0;
    for (const Row& row : log.rows) {
      if (const std::uint64_t drops = drops_in(row.message); drops != 0) {
        told += drops;
        continue;
      }
      const std::uint64_t number = std::stoull(row.message);
      ASSERT_GE(number, expected) << seed;
      ASSERT_LT(number, sent.size()) << seed;
      ASSERT_TRUE(row.message == sent[number]) << seed << ": " << row.message.substr(0, 40);
      missing += number - expected;
      expected = number + 1;
    }
    missing += sent.size() - expected;
    EXPECT_EQ(told, missing) << seed;
    session_.reset();
  }
}

// The scribe drains meanwhile: calls wait, so nothing is missing.
TEST_F(RingGrowthTest, RingsGrowWhileTheScribeDrains) {
  open({});
  const std::uint64_t records = steno::test::sampled(60000);
  constexpr int kThreads = 3;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      steno::set_thread_name("t" + std::to_string(t));
      for (std::uint64_t i = 0; i < records; ++i) log(i, random() % 100 == 0 ? random() % 30000 : random() % 60);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(session_->stop().ok());
  const Log log = read_log(path());
  std::uint64_t next[kThreads] = {};
  for (const Row& row : log.rows) {
    std::uint64_t& expected = next[row.thread.at(1) - '0'];
    ASSERT_EQ(std::stoull(row.message), expected) << row.thread;
    ++expected;
  }
  for (const std::uint64_t seen : next) EXPECT_EQ(seen, records);
}

// Their rings are made side by side: each has an id of its own, and what they have logged is there for whoever flushes.
TEST_F(RingGrowthTest, ManyThreadsBeginAtOnce) {
  open({});
  constexpr std::uint32_t kThreads = 64;
  std::atomic<std::uint32_t> waiting{0};
  std::atomic<std::uint32_t> logged{0};
  std::atomic<bool> end{false};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (++waiting; waiting < kThreads;) std::this_thread::yield();
      log(t, 10);
      ++logged;
      end.wait(false);
    });
  }
  while (logged < kThreads) std::this_thread::yield();
  EXPECT_TRUE(session_->flush().ok());
  const Log log = read_log(path());
  end = true;
  end.notify_all();
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> numbers;
  for (const Row& row : log.rows) numbers.insert(std::stoull(row.message));
  EXPECT_EQ(numbers.size(), kThreads);
  std::set<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < core().rings().count(); ++i) {
    EXPECT_EQ(core().rings().at(i).index, i);
    ids.insert(core().rings().at(i).id);
  }
  EXPECT_GE(core().rings().count(), kThreads);
  EXPECT_EQ(ids.size(), core().rings().count());
  EXPECT_EQ(core().rings().at(0).id, 0u);
  EXPECT_EQ(*ids.rbegin(), core().rings().count() - 1);
}

}  // namespace
}  // namespace steno_test
