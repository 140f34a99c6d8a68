#include "drain/process_clock.h"

#include <gtest/gtest.h>

#include "staging/clock_rate.h"

namespace steno::drain {
namespace {

// A measured rate, and a moment at which the counter stood somewhere.
constexpr double kRate = 0.25;
constexpr ClockReading kThen = {1'000'000'000, 1'700'000'000'000'000'000, 10};

ClockReading later(double seconds, double rate) {
  const double ns = seconds * 1e9;
  return {kThen.ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(ns / rate)),
          kThen.wall_ns + static_cast<std::int64_t>(ns), 10};
}

TEST(ClockRateTest, IsThatOfWhoMeasuredIt) {
  staging::Doorbell bell{};
  EXPECT_EQ(staging::load_clock_rate(&bell, kThen), 0) << "nobody has";
  staging::store_clock_rate(&bell, kThen, kRate);
  for (const double seconds : {0.0, 0.01, 1.0, 100'000.0})
    EXPECT_EQ(staging::load_clock_rate(&bell, later(seconds, kRate)), kRate) << seconds;
  EXPECT_EQ(staging::load_clock_rate(&bell, later(1000, kRate * 1.0004)), kRate) << "the kernel slews the wall clock";
}

// The machine was started anew, its clock was set, or it goes on elsewhere.
TEST(ClockRateTest, IsNotOneThatIsWrongByNow) {
  staging::Doorbell bell{};
  staging::store_clock_rate(&bell, kThen, kRate);
  EXPECT_EQ(staging::load_clock_rate(&bell, later(1, kRate * 1.01)), 0);
  EXPECT_EQ(staging::load_clock_rate(&bell, later(1, kRate / 2)), 0);
  EXPECT_EQ(staging::load_clock_rate(&bell, later(-10, kRate * 2)), 0);
  ClockReading set = later(1, kRate);
  set.wall_ns += 1'000'000'000;
  EXPECT_EQ(staging::load_clock_rate(&bell, set), 0);
  ClockReading restarted = later(1, kRate);
  restarted.ticks = 5;
  EXPECT_EQ(staging::load_clock_rate(&bell, restarted), 0);
  staging::store_clock_rate(&bell, set, kRate);
  EXPECT_EQ(staging::load_clock_rate(&bell, set), kRate);
}

TEST(ClockRateTest, IsNotOneThatIsDamaged) {
  staging::Doorbell sound{};
  staging::store_clock_rate(&sound, kThen, kRate);
  for (std::size_t i = 0; i < sizeof sound.clock; ++i) {
    staging::Doorbell bell = sound;
    reinterpret_cast<unsigned char*>(&bell.clock)[i] ^= 1;
    EXPECT_EQ(staging::load_clock_rate(&bell, kThen), 0) << i;
  }
  for (const double rate : {0.0, -1.0, 1e-9, 1e9, __builtin_nan("")}) {
    staging::store_clock_rate(&sound, kThen, rate);
    EXPECT_EQ(staging::load_clock_rate(&sound, kThen), 0) << rate;
  }
}

TEST(ProcessClockTest, IsMeasuredOnceForAllProcesses) {
  if (best_clock() == ClockKind::kWall) GTEST_SKIP() << "there is no counter here";
  staging::Doorbell bell{};
  const double measured = process_clock(&bell).ns_per_tick();
  EXPECT_EQ(staging::load_clock_rate(&bell, read_both(measured)), measured);
  // This rate is another one that might be right: a process that comes takes it, and measures nothing.
  const double other = measured * 1.0001;
  staging::store_clock_rate(&bell, read_both(measured), other);
  EXPECT_EQ(process_clock(&bell).ns_per_tick(), other);
  // One that cannot be.
  ClockReading past = read_both(measured);
  past.wall_ns -= 10'000'000'000;
  staging::store_clock_rate(&bell, past, measured);
  EXPECT_NEAR(process_clock(&bell).ns_per_tick(), measured, measured * 0.01);
  EXPECT_NE(staging::load_clock_rate(&bell, read_both(measured)), 0);
}

}  // namespace
}  // namespace steno::drain
