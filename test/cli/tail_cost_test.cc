// Tests the cost of following a log in system calls: they are the same on every machine, however busy it is.
#include <chrono>

#include "live_log.h"
#include "system_calls.h"

namespace steno::test {
namespace {

class TailCost : public LiveLog {
 protected:
  struct Cost {
    std::uint64_t waits = 0;
    std::uint64_t writes = 0;
    std::uint64_t others = 0;
    std::uint64_t milliseconds = 0;
  };

  // Returns the cost of `steno tail -f` while so many messages are logged, `pause_us` apart, and printed.
  Cost follow(unsigned messages, unsigned pause_us) {
    start([](char) { STENO_INFO("number {n} took {ms:.1f} ms", 7, 2.5); });
    Background tail({"tail", "-f", "-n", "1", "--pattern", "{message}", log()});
    tell('n');
    tail.wait_for_lines(1);  // whether it was there already or not
    SystemCalls calls(tail.pid());
    if (!calls.allowed()) return {};
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < messages; ++i) {
      ::usleep(pause_us);
      tell('n');
    }
    tail.wait_for_lines(messages + 1);
    SystemCalls::Counts counts = calls.stop();
    Cost cost;
    cost.milliseconds = static_cast<std::uint64_t>(
        std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count());
    EXPECT_EQ(tail.stop(SIGTERM), 0);
    EXPECT_EQ(tail.errors(), "");
    cost.waits = counts[SYS_ppoll];
    cost.writes = counts[SYS_write];
    for (const auto& [call, times] : counts) cost.others += times;
    cost.others -= cost.waits + cost.writes;
    return cost;
  }

  // Checks the calls that are repeated without a message: each look sleeps, every tenth is at the file too, and every
  // hundredth looks for new processes.
  static void expect_idle_cost(const Cost& cost, std::uint64_t messages) {
    EXPECT_LE(cost.waits, cost.milliseconds + messages + 10);
    EXPECT_LE(cost.others, 6 * messages + 4 * (cost.milliseconds / 10 + 1) + 60 * (cost.milliseconds / 100 + 1));
  }
};

TEST_F(TailCost, OfFiveHundredMessagesASecond) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "a sanitizer makes calls of its own";
  constexpr unsigned kMessages = 500;
  const Cost cost = follow(kMessages, 2000);
  if (cost.milliseconds == 0) GTEST_SKIP() << "processes may not be traced here";
  EXPECT_LE(cost.writes, kMessages);
  expect_idle_cost(cost, kMessages);
}

TEST_F(TailCost, OfALogThatRests) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "a sanitizer makes calls of its own";
  const Cost cost = follow(1, 500'000);
  if (cost.milliseconds == 0) GTEST_SKIP() << "processes may not be traced here";
  EXPECT_EQ(cost.writes, 1u);
  expect_idle_cost(cost, 1);
}

}  // namespace
}  // namespace steno::test
