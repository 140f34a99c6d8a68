// Stats: what the session counts while nobody, or its own calls, empty the rings.
#include "log_test.h"

namespace steno_test {
namespace {

class StatsTest : public LogTest {
 protected:
  void log(int records) {
    for (int i = 0; i < records; ++i) STENO_INFO("{}", i);
  }
};

TEST_F(StatsTest, BacklogAndLag) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 65536, .scribe_thread = false});
    log(1);
    EXPECT_TRUE(steno::flush().ok());
    const steno::Stats before = steno::stats();
    EXPECT_EQ(before.backlog_bytes, 0u);
    log(100);
    const steno::Stats waiting = steno::stats();
    EXPECT_GE(waiting.backlog_bytes, 100 * 20u);
    EXPECT_LE(waiting.backlog_bytes, 65536u);
    EXPECT_TRUE(steno::flush().ok());
    const steno::Stats after = steno::stats();
    EXPECT_EQ(after.backlog_bytes, 0u);
    EXPECT_GE(after.most_backlog_bytes, waiting.backlog_bytes);
    EXPECT_GT(after.lag_ns, 0u);
    EXPECT_GE(after.longest_lag_ns, after.lag_ns);
    EXPECT_EQ(after.records - before.records, 100u);
    EXPECT_EQ(after.stalls, 0u);
    EXPECT_EQ(after.longest_stall_ns, 0u);
  });
}

TEST_F(StatsTest, CallsThatWaitForRoom) {
  in_process_of_its_own([this] {
    // Nobody else drains: a full ring makes the producer do it.
    start({.ring_bytes = 4096, .scribe_thread = false});
    log(5000);
    const steno::Stats stats = steno::stats();
    EXPECT_GE(stats.stalls, 5000 * 20u / 4096 / 2);
    EXPECT_LE(stats.stalls, 5000u);
    EXPECT_GT(stats.longest_stall_ns, 0u);
    EXPECT_EQ(stats.dropped, 0u);
    EXPECT_EQ(finish().rows.size(), 5000u);
  });
}

TEST_F(StatsTest, CallsThatDropDoNotWait) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 4096, .when_full = steno::WhenFull::kDrop, .scribe_thread = false});
    log(5000);
    const steno::Stats stats = steno::stats();
    EXPECT_EQ(stats.stalls, 0u);
    EXPECT_GT(stats.dropped, 0u);
    EXPECT_GT(stats.backlog_bytes, 0u);
  });
}

}  // namespace
}  // namespace steno_test
