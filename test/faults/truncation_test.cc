// Whole logs whose file somebody truncates just before one of the scribe's writes: what comes then can be read.
#include <steno/log.h>
#include <steno/session.h>

#include <filesystem>
#include <string>
#include <utility>

#include "faulty_system.h"
#include "numbered.h"

namespace steno_test {
namespace {

class TruncationTest : public LogTest {
 protected:
  static constexpr int kFlushes = 6;
  static constexpr int kBetween = 10;

  void start_without_thread() {
    steno::Options options;
    options.ring_bytes = 65536;
    options.scribe_thread = false;
    options.block_at_most = steno::kForever;
    options.on_warning = warnings_.listener();
    start(options);
  }
  static void log_and_flush(int round) {
    for (int i = 0; i < kBetween; ++i) STENO_INFO("{}", round * kBetween + i);
    EXPECT_TRUE(steno::flush().ok());
  }
  // The last numbers are there, without a gap, and nothing is damaged.
  static void expect_end(const std::string& path, int end) {
    const Log log = read_log(path, false);
    expect_no_losses(path, log);
    int next = -1;
    for (const Row& row : log.rows) {
      const int number = std::stoi(row.message);
      if (next != -1) {
        EXPECT_EQ(number, next);
      }
      next = number + 1;
    }
    // Nothing comes after a truncation at the very end.
    if (!log.rows.empty()) {
      EXPECT_EQ(next, end);
    }
    EXPECT_EQ(log.sessions, 1u);
  }

  Warnings warnings_;
};

TEST_F(TruncationTest, BeforeAnyWrite) {
  int writes = 1;
  std::size_t noticed = 0;
  for (int at = 1; at <= writes; ++at) {
    FaultySystem system;
    std::filesystem::remove(path());
    writes = 0;
    system.before_write = [&] {
      if (++writes == at) std::filesystem::resize_file(path(), 0);
    };
    start_without_thread();
    for (int round = 0; round < kFlushes; ++round) log_and_flush(round);
    steno::stop();
    SCOPED_TRACE("before write " + std::to_string(at) + " of " + std::to_string(writes));
    expect_end(path(), kFlushes * kBetween);
    if (at > 1 && writes >= at) {
      EXPECT_EQ(warnings_.count("was truncated; logging continues at its new end"), ++noticed) << warnings_.text();
    }
  }
  EXPECT_GT(writes, kFlushes);
}

// Somebody may cut the file to make room, while the file is full and the scribe tries again.
TEST_F(TruncationTest, BetweenTheLookAtAFullFileAndTheRetry) {
  for (const std::int64_t room : {1, 5, 8, 16, 30, 64}) {
    FaultySystem system;
    std::filesystem::remove(path());
    start_without_thread();
    log_and_flush(0);
    system.room = room;
    for (int i = 0; i < kBetween; ++i) STENO_INFO("{}", kBetween + i);
    EXPECT_FALSE(steno::flush().ok());
    bool cut = false;
    system.room = 1'000'000;
    system.before_write = [&] {
      if (!std::exchange(cut, true)) std::filesystem::resize_file(path(), 0);
    };
    log_and_flush(2);
    EXPECT_TRUE(cut);
    steno::stop();
    SCOPED_TRACE("room for " + std::to_string(room));
    const Log log = read_log(path(), false);
    expect_end(path(), 3 * kBetween);
    EXPECT_EQ(log.rows.size(), 2u * kBetween) << "what the file had not taken is there";
  }
}

// The path names a directory by then: it is the file that we have open in which a session begins anew.
TEST_F(TruncationTest, WhereThePathCannotBeOpened) {
  start_without_thread();
  log_and_flush(0);
  std::filesystem::rename(path(), path("log.1"));
  std::filesystem::create_directory(path());
  std::filesystem::resize_file(path("log.1"), 0);
  for (int round = 1; round < kFlushes; ++round) log_and_flush(round);
  steno::stop();
  EXPECT_EQ(warnings_.count("was truncated; logging continues at its new end"), 1u) << warnings_.text();
  EXPECT_EQ(warnings_.count(), 1u) << warnings_.text();
  expect_end(path("log.1"), kFlushes * kBetween);
  EXPECT_EQ(read_log(path("log.1"), false).rows.size(), static_cast<std::size_t>((kFlushes - 1) * kBetween));
}

}  // namespace
}  // namespace steno_test
