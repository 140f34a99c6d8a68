// Times of a clock of the program's own (Clock::kUser): whatever it says is what the log has, from 1970 on.
#include <steno/span.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <random>

#include "base/clock.h"
#include "log_test.h"

namespace steno_test {
namespace {

std::atomic<std::uint64_t> user_now{0};

std::uint64_t read_user_now() {
  return user_now.load(std::memory_order_relaxed);
}

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kDayOf1998 = 893'000'000 * kSecond;
constexpr std::uint64_t kLeastPlain = 1'000'000'000 * kSecond;  // below it a clock could be a counter's
constexpr std::uint64_t kLast = (std::uint64_t{1} << 63) - 1;   // in 2262

std::vector<std::uint64_t> times() {
  std::vector<std::uint64_t> all = {0,
                                    1,
                                    kSecond,
                                    3600 * kSecond,
                                    kDayOf1998,
                                    kLeastPlain - 1,
                                    kLeastPlain,
                                    kLeastPlain + 1,
                                    1'800'000'000 * kSecond,
                                    kLast};
  std::mt19937_64 random(1);
  // The times have any size, or are near the machine's counter.
  for (int i = 0; i < 200; ++i) all.push_back(random() >> (1 + random() % 63));
  for (int i = 0; i < 50; ++i) all.push_back(steno::counter_now() + random() % kSecond);
  std::sort(all.begin(), all.end());
  return all;
}

class UserClockTest : public LogTest {
 protected:
  steno::Options options() const {
    steno::Options options;
    options.path = path();
    options.clock = steno::Clock::kUser;
    options.user_clock = read_user_now;
    return options;
  }

  static void log_at(const std::vector<std::uint64_t>& all) {
    for (const std::uint64_t time : all) {
      user_now = time;
      STENO_INFO("at {}", time);
    }
  }

  void expect_times(const std::vector<std::uint64_t>& all) {
    const Log log = read_log(path());
    EXPECT_EQ(log.losses, std::vector<std::string>());
    std::vector<std::uint64_t> found;
    for (const Row& row : log.rows) {
      if (row.message.find("at ") != 0) continue;
      found.push_back(static_cast<std::uint64_t>(row.time_ns));
      EXPECT_EQ(row.message, "at " + std::to_string(row.time_ns));
    }
    EXPECT_EQ(found, all);
  }
};

TEST_F(UserClockTest, AnyTimeFrom1970OnIsKept) {
  const std::vector<std::uint64_t> all = times();
  start(options());
  log_at(all);
  steno::stop();
  expect_times(all);
}

// Recovery writes the records that the scribe did not come to.
TEST_F(UserClockTest, RecoveryKeepsThemToo) {
  const std::vector<std::uint64_t> all = times();
  const pid_t child = ::fork();
  if (child == 0) {
    steno::Options own = options();
    own.flush_interval = std::chrono::hours(1);
    if (!steno::start(own)) std::_Exit(1);
    log_at(all);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  steno::Options next;
  next.path = path();
  start(next);
  steno::stop();
  expect_times(all);
}

// Records before a session begins have the machine's counter, which may be any small number too.
TEST_F(UserClockTest, RecordsFromBeforeTheSessionHaveTheirOwnTime) {
  for (const std::uint64_t begin : {std::uint64_t{0}, kDayOf1998, static_cast<std::uint64_t>(steno::wall_now())}) {
    std::filesystem::remove(path());
    const std::int64_t before = steno::wall_now();
    STENO_INFO("early");
    const std::int64_t after = steno::wall_now();
    start(options());
    log_at({begin, begin + 1});
    steno::stop();
    std::size_t found = 0;
    for (const Row& row : read_log(path()).rows) {
      if (row.message == "early") {
        ++found;
        EXPECT_GE(row.time_ns, before - 50'000'000);
        EXPECT_LE(row.time_ns, after + 50'000'000);
      } else {
        EXPECT_EQ(row.message, "at " + std::to_string(row.time_ns));
        ++found;
      }
    }
    EXPECT_EQ(found, 3u) << begin;
  }
}

TEST_F(UserClockTest, BeforeThereIsNothing) {
  start(options());
  user_now = static_cast<std::uint64_t>(-5 * static_cast<std::int64_t>(kSecond));
  STENO_INFO("before 1970");
  steno::stop();
  const Log log = read_log(path());
  ASSERT_EQ(log.rows.size(), 1u);
  EXPECT_EQ(log.rows[0].time_ns, 0);
}

TEST_F(UserClockTest, SpansKnowHowLongTheyTook) {
  start(options());
  for (const std::uint64_t begin : {std::uint64_t{0}, kDayOf1998, kLeastPlain - 5}) {
    user_now = begin;
    STENO_SPAN("work");
    user_now = begin + 10;
  }
  steno::stop();
  std::size_t ends = 0;
  for (const Row& row : read_log(path()).rows) ends += row.message == "work: end, 10 ns" ? 1 : 0;
  EXPECT_EQ(ends, 3u);
}

TEST_F(UserClockTest, DropsSayWhenTheyBegan) {
  in_process_of_its_own([this] {
    steno::Options own = options();
    own.ring_bytes = 4096;
    own.when_full = steno::WhenFull::kDrop;
    own.scribe_thread = false;
    start(own);
    for (std::uint64_t i = 0; i < 1000; ++i) log_at({kDayOf1998 + i});
    EXPECT_TRUE(steno::flush().ok());
    log_at({kDayOf1998 + 1000});
    steno::stop();
    std::size_t reports = 0;
    for (const Row& row : read_log(path()).rows) {
      EXPECT_GE(row.time_ns, static_cast<std::int64_t>(kDayOf1998)) << row.message;
      EXPECT_LE(row.time_ns, static_cast<std::int64_t>(kDayOf1998 + 1000)) << row.message;
      reports += row.message.find("dropped here") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(reports, 1u);
  });
}

}  // namespace
}  // namespace steno_test
