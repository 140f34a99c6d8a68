#include "base/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace steno {
namespace {

TEST(ChooseClock, ACounterThatIsNotInvariantIsNeverUsed) {
  for (const char* source : {"tsc\n", "kvm-clock\n", "hyperv_clocksource_tsc_page\n", ""}) {
    EXPECT_EQ(choose_clock(false, source), ClockKind::kWall) << source;
  }
}

TEST(ChooseClock, NorOneThatTheKernelHasGivenUp) {
  for (const char* source : {"hpet\n", "acpi_pm\n", "jiffies\n", "refined-jiffies\n"}) {
    EXPECT_EQ(choose_clock(true, source), ClockKind::kWall) << source;
  }
}

TEST(ChooseClock, ElseTheCounter) {
  for (const char* source : {"tsc\n", "kvm-clock\n", ""}) {
    EXPECT_EQ(choose_clock(true, source), ClockKind::kTsc) << source;
  }
}

ClockMoment moment(std::int64_t wall, std::int64_t monotonic) {
  ClockMoment moment;
  moment.reading.wall_ns = wall;
  moment.monotonic_ns = monotonic;
  return moment;
}

TEST(Clock, MeasuresTheRateBetweenMomentsOfSteadyTime) {
  constexpr std::int64_t kWall = 1'700'000'000'000'000'000;
  const ClockMoment first = moment(kWall, 5'000'000);
  EXPECT_TRUE(spans_steady_time(first, first));
  EXPECT_TRUE(spans_steady_time(first, moment(kWall + 3'000'200, 8'000'000)));
  EXPECT_TRUE(spans_steady_time(first, moment(kWall + 1'000'000'000, 1'005'000'000)));
  EXPECT_FALSE(spans_steady_time(first, moment(kWall + 1'000'000'001, 1'005'000'001)));  // long ago
  EXPECT_FALSE(spans_steady_time(first, moment(kWall + 3'010'000, 8'000'000)));          // set forward
  EXPECT_FALSE(spans_steady_time(first, moment(kWall + 2'990'000, 8'000'000)));          // set back
  EXPECT_FALSE(spans_steady_time(first, moment(kWall + 3'000'000, 4'000'000)));  // of another machine's beginning
}

TEST(Clock, TheCounterAndTheWallClockAgree) {
  const double ns_per_tick = best_clock() == ClockKind::kWall ? 1.0 : estimate_ns_per_tick();
  const ClockReading before = read_both(ns_per_tick);
  const std::int64_t start = monotonic_now();
  while (monotonic_now() - start < 5'000'000) {
  }
  const ClockReading after = read_both(ns_per_tick);
  const double ticks = static_cast<double>(after.ticks - before.ticks) * ns_per_tick;
  const double wall = static_cast<double>(after.wall_ns - before.wall_ns);
  EXPECT_NEAR(ticks / wall, 1.0, 0.05);
}

// A counter that ticks each `ns_per_tick`, and a wall clock beside it: each look at one takes some time.
TEST(Clock, ReadingsOfACoarseCounterAreAsUncertainAsTheySay) {
  std::mt19937_64 random(7);
  for (const double ns_per_tick : {0.4, 1.0, 16.0, 40.0, 41.666666, 1000.0}) {
    double worst = 0;
    for (int round = 0; round < 2000; ++round) {
      double now = 1e9 + static_cast<double>(random() % 1'000'000);
      const double took = 1 + static_cast<double>(random() % 60);
      const auto pass = [&] { now += took * (0.5 + static_cast<double>(random() % 1000) / 1000); };
      const auto counter = [&] {
        pass();
        return static_cast<std::uint64_t>(now / ns_per_tick);
      };
      const auto wall = [&] {
        pass();
        return static_cast<std::int64_t>(now);
      };
      const ClockReading reading = read_between(counter, wall, ns_per_tick);
      const double off =
          std::fabs(static_cast<double>(reading.ticks) * ns_per_tick - static_cast<double>(reading.wall_ns));
      ASSERT_LE(off, reading.uncertainty_ns) << ns_per_tick;
      ASSERT_LE(reading.uncertainty_ns, 2 * took + 2 * ns_per_tick + 2) << ns_per_tick;
      worst = std::max(worst, off);
    }
    EXPECT_GE(worst, ns_per_tick / 2) << ns_per_tick;  // else the tick is not looked at
  }
}

TEST(Clock, TheNominalRateIsNoLessThanThatOfTheCounter) {
  if (best_clock() == ClockKind::kWall) GTEST_SKIP() << "no counter";
  EXPECT_GE(nominal_ns_per_tick(), 0.95 * estimate_ns_per_tick());
}

}  // namespace
}  // namespace steno
