#include "live/known_staging.h"

#include <gtest/gtest.h>

namespace steno::live {
namespace {

constexpr std::int64_t kStart = 1'000'000'000'000;

TEST(KnownStagingTest, WhatIsNewIsDue) {
  KnownStaging known;
  EXPECT_TRUE(known.is_due("/a", kStart));
  known.leave("/a", Left::kDead, kStart);
  EXPECT_FALSE(known.is_due("/a", kStart));
  EXPECT_TRUE(known.is_due("/b", kStart));
  known.forget("/a");
  EXPECT_TRUE(known.is_due("/a", kStart));
}

// However often it was found as before.
TEST(KnownStagingTest, NothingIsLeftAloneForEver) {
  for (const Left why : {Left::kTaken, Left::kRefused, Left::kElsewhere, Left::kDead}) {
    KnownStaging known;
    std::int64_t now = kStart;
    int looks = 0;
    for (; now < kStart + 100 * KnownStaging::longest(why); now += KnownStaging::longest(why) / 100) {
      if (!known.is_due("/a", now)) continue;
      ++looks;
      known.leave("/a", why, now);
    }
    EXPECT_GE(looks, 90) << static_cast<int>(why);
    EXPECT_LE(looks, 110) << static_cast<int>(why) << ": it was looked at less often the more often it was";
    EXPECT_TRUE(known.is_due("/a", now + KnownStaging::longest(why)));
  }
}

TEST(KnownStagingTest, WhatHasChangedIsLookedAtSoonAgain) {
  KnownStaging known;
  for (int i = 0; i < 20; ++i) known.leave("/a", Left::kDead, kStart);
  EXPECT_FALSE(known.is_due("/a", kStart + KnownStaging::longest(Left::kDead) - 1));
  known.leave("/a", Left::kTaken, kStart);
  EXPECT_TRUE(known.is_due("/a", kStart + KnownStaging::longest(Left::kTaken) / 2));
}

TEST(KnownStagingTest, ASessionMayBeginWhereAProcessLives) {
  KnownStaging known;
  known.leave("/dead", Left::kDead, kStart);
  known.leave("/elsewhere", Left::kElsewhere, kStart);
  known.leave("/taken", Left::kTaken, kStart);
  known.expect_sessions();
  EXPECT_FALSE(known.is_due("/dead", kStart));
  EXPECT_TRUE(known.is_due("/elsewhere", kStart));
  EXPECT_TRUE(known.is_due("/taken", kStart));
}

TEST(KnownStagingTest, ForgetsWhatIsGone) {
  KnownStaging known;
  for (const char* directory : {"/a", "/b", "/c"}) known.leave(directory, Left::kDead, kStart);
  known.keep_only({"/b", "/d"});
  EXPECT_TRUE(known.is_due("/a", kStart));
  EXPECT_FALSE(known.is_due("/b", kStart));
  EXPECT_TRUE(known.is_due("/c", kStart));
}

}  // namespace
}  // namespace steno::live
