#include "base/clock.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace steno
