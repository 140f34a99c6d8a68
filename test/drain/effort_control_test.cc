#include "drain/effort_control.h"

#include <gtest/gtest.h>

namespace steno::drain {
namespace {

using format::Effort;

constexpr std::uint64_t kRing = 1 << 20;
constexpr std::uint64_t kIdle = kRing / 8;
constexpr std::uint64_t kBusy = kRing / 3;
constexpr std::uint64_t kHalf = kRing / 2;
constexpr std::uint64_t kFull = kRing / 4 * 3;

// Returns the effort of a scribe that waits for longer than it writes.
Effort next(EffortControl& control, std::uint64_t pending) {
  static std::int64_t now = 0;
  now += 1000;
  const Effort effort = control.next(pending, kRing, now);
  control.done(now + 100);
  return effort;
}

// Returns how many blocks are quick when the scribe is behind and finds so much to do from then on.
unsigned quick_blocks(EffortControl& control, std::uint64_t then, unsigned most) {
  EXPECT_EQ(next(control, kFull), Effort::kQuick);
  unsigned blocks = 1;
  while (blocks < most && next(control, then) == Effort::kQuick) ++blocks;
  return blocks;
}

TEST(EffortControl, IsFullWhileTheScribeKeepsUp) {
  EffortControl control;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(next(control, kHalf - 1), Effort::kFull);
}

TEST(EffortControl, LeavesOutEntropyCodesWhereMuchWaits) {
  EffortControl control;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(next(control, kFull - 1), Effort::kBrisk);
  EXPECT_EQ(next(control, kHalf - 1), Effort::kFull);
}

TEST(EffortControl, LeavesThemOutWhereThereIsNoTime) {
  EffortControl control;
  EXPECT_EQ(control.next(kIdle, kRing, 1000), Effort::kFull);
  control.done(1500);
  EXPECT_EQ(control.next(kIdle, kRing, 1900), Effort::kBrisk);
  control.done(2000);
  EXPECT_EQ(control.next(kIdle, kRing, 2000), Effort::kBrisk);
  control.done(2100);
  EXPECT_EQ(control.next(kIdle, kRing, 2200), Effort::kFull);
}

TEST(EffortControl, IsFullAgainAsSoonAsThereIsLittleToDo) {
  EffortControl control;
  EXPECT_EQ(quick_blocks(control, kIdle, 1000), 1u);
}

TEST(EffortControl, IsFullAgainAfterCalmBlocksInARow) {
  EffortControl control;
  EXPECT_EQ(quick_blocks(control, kBusy, 1000), EffortControl::kLeastCalm);
}

TEST(EffortControl, StaysQuickWhileThereIsMuchToDo) {
  EffortControl control;
  EXPECT_EQ(quick_blocks(control, kHalf, 1000), 1000u);
  for (unsigned i = 1; i < EffortControl::kLeastCalm; ++i) EXPECT_EQ(next(control, kBusy), Effort::kQuick);
  EXPECT_EQ(next(control, kHalf), Effort::kQuick);  // and begins to count anew
  for (unsigned i = 1; i < EffortControl::kLeastCalm; ++i) EXPECT_EQ(next(control, kBusy), Effort::kQuick);
  EXPECT_EQ(next(control, kBusy), Effort::kFull);
}

TEST(EffortControl, StaysQuickWhileProducersWait) {
  EffortControl control;
  EXPECT_EQ(next(control, kIdle), Effort::kFull);
  for (unsigned i = 0; i < 1000; ++i) {
    control.held_up();
    EXPECT_EQ(next(control, kIdle), Effort::kQuick);
  }
  EXPECT_EQ(next(control, kIdle), Effort::kFull);
}

TEST(EffortControl, TriesMoreRarelyWhatItCannotKeepUpWith) {
  EffortControl control;
  for (unsigned expected = EffortControl::kLeastCalm; expected < EffortControl::kMostCalm; expected *= 2) {
    EXPECT_EQ(quick_blocks(control, kBusy, 1000), expected);
  }
  EXPECT_EQ(quick_blocks(control, kBusy, 1000), EffortControl::kMostCalm);
  EXPECT_EQ(quick_blocks(control, kBusy, 1000), EffortControl::kMostCalm);
  // After a long success, the next attempt comes as soon as in the beginning.
  for (unsigned i = 0; i < EffortControl::kMostCalm; ++i) EXPECT_EQ(next(control, kBusy), Effort::kFull);
  EXPECT_EQ(quick_blocks(control, kBusy, 1000), EffortControl::kLeastCalm);
}

}  // namespace
}  // namespace steno::drain
