#include "base/fork_gate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/within.h"

namespace steno {
namespace {

void wait_a_little() {
  usleep(20'000);
}

TEST(ForkGate, ChangesOfOthersWaitForTheEndOfTheFork) {
  std::atomic<bool> changed{false};
  begin_fork();
  std::thread other([&] {
    const Change change;
    changed = true;
  });
  wait_a_little();
  EXPECT_FALSE(changed);
  {
    const Change own;  // lets others in
  }
  EXPECT_TRUE(end_fork());
  other.join();
  EXPECT_TRUE(changed);
}

TEST(ForkGate, AForkWaitsForChanges) {
  std::atomic<bool> begun{false};
  std::optional<Change> change;
  change.emplace();
  std::thread forks([&] {
    begin_fork();
    begun = true;
    end_fork();
  });
  wait_a_little();
  EXPECT_FALSE(begun);
  {
    const Change inner;  // does not wait for the fork, which waits for the outer one
  }
  EXPECT_FALSE(begun);
  change.reset();
  forks.join();
  EXPECT_TRUE(begun);
}

TEST(ForkGate, ThatPausesLetsOthersChange) {
  begin_fork();
  {
    const ForkPause pause;
    const ForkPause within;
    std::thread([] { const Change change; }).join();
  }
  begin_fork();  // a handler forks
  EXPECT_FALSE(end_fork());
  EXPECT_TRUE(end_fork());
  std::thread([] { const Change change; }).join();
}

TEST(Within, InnerRecordsAreCountedOnce) {
  (void)take_inner_refusals();
  {
    const Inside outer;
    const Inside inner;
    EXPECT_TRUE(is_inside());
    refuse_inner_record();
  }
  EXPECT_FALSE(is_inside());
  EXPECT_EQ(take_inner_refusals(), 1u);
  EXPECT_EQ(take_inner_refusals(), 0u);
}

}  // namespace
}  // namespace steno
