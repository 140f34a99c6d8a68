// ScribeWait: how the scribe's thread waits, and that it sees what is logged in each way.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "log_test.h"
#include "ring/session_access.h"
#include "runtime/core.h"

namespace steno_test {
namespace {

using steno::ScribeWait;

class ScribeWaitTest : public LogTest {
 protected:
  ~ScribeWaitTest() override { unsetenv("STENO_SCRIBE_WAIT"); }

  void start_waiting(ScribeWait wait) {
    steno::Options options;
    options.scribe_wait = wait;
    start(options);
  }
  // Returns whether a call has to wake the scribe.
  static bool sleeps() { return steno::ring::is_sleeping(steno::runtime::core_at(0)->session()); }
  static bool sleeps_sometime() {
    for (int ms = 0; ms < 120'000; ++ms) {
      if (sleeps()) return true;
      ::usleep(1000);
    }
    return false;
  }
  static bool comes_to(std::uint64_t records) {
    for (int ms = 0; ms < 120'000; ++ms) {
      if (steno::stats().records >= records) return true;
      ::usleep(1000);
    }
    return false;
  }
};

TEST_F(ScribeWaitTest, EachWritesWhatIsDue) {
  for (const ScribeWait wait : {ScribeWait::kBlock, ScribeWait::kSleep, ScribeWait::kYield, ScribeWait::kSpin}) {
    SCOPED_TRACE(static_cast<int>(wait));
    std::filesystem::remove(path());
    start_waiting(wait);
    for (int i = 0; i < 20'000; ++i) STENO_INFO("{n} of many, more than a ring has room for at first", i);
    STENO_ERROR("written at once");
    EXPECT_TRUE(comes_to(20'001));
    STENO_INFO("flushed");
    EXPECT_TRUE(steno::flush().ok());
    EXPECT_EQ(steno::stats().records, 20'002u);
    if (wait == ScribeWait::kBlock) {
      EXPECT_TRUE(sleeps_sometime());
    } else {
      for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(sleeps());
        ::usleep(100);
      }
    }
    const Log log = finish();
    EXPECT_EQ(log.rows.size(), 20'002u);
    EXPECT_EQ(log.losses, std::vector<std::string>());
  }
}

TEST_F(ScribeWaitTest, TheEnvironmentSaysSoToo) {
  setenv("STENO_SCRIBE_WAIT", "sleep", 1);
  start_waiting(ScribeWait::kBlock);
  STENO_ERROR("seen");
  EXPECT_TRUE(comes_to(1));
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(sleeps());
    ::usleep(100);
  }
  steno::stop();
}

}  // namespace
}  // namespace steno_test
