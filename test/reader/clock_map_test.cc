#include "reader/clock_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace steno::reader {
namespace {

using format::ClockPoint;
using I128 = __int128;

ClockPoint point(std::uint64_t ticks, std::int64_t wall, double rate = 1.0, std::uint32_t flags = 0) {
  ClockPoint p;
  p.ticks = ticks;
  p.wall_ns = wall;
  p.ns_per_tick = rate;
  p.flags = flags;
  return p;
}

constexpr std::int64_t kNow = 1'800'000'000'000'000'000;

I128 floor_div(I128 a, I128 b) {
  I128 q = a / b;
  if (a % b != 0 && (a < 0) != (b < 0)) --q;
  return q;
}

// The line through two points, by the rule of file.md §4, in exact arithmetic.
std::int64_t exact(const ClockPoint& a, const ClockPoint& b, std::uint64_t ticks) {
  const I128 dt = I128(ticks) - I128(a.ticks);
  const I128 dw = I128(b.wall_ns) - I128(a.wall_ns);
  const I128 range = I128(b.ticks) - I128(a.ticks);
  return static_cast<std::int64_t>(I128(a.wall_ns) + floor_div(dt * dw, range));
}

TEST(ClockMap, TicksThatAreNanoseconds) {
  const ClockMap map;
  EXPECT_EQ(map.wall(0), 0);
  EXPECT_EQ(map.wall(1'800'000'000'123'456'789), 1'800'000'000'123'456'789);
  EXPECT_EQ(map.wall(UINT64_MAX), INT64_MAX);
  EXPECT_TRUE(map.monotone());
}

TEST(ClockMap, PointsAreMetExactly) {
  const std::vector<ClockPoint> points = {point(1000, kNow, 0.25), point(5'000'001'000, kNow + 1'250'000'321, 0.25),
                                          point(9'000'001'777, kNow + 2'250'000'777, 0.25)};
  const ClockMap map(points, 0.25);
  for (const ClockPoint& p : points) EXPECT_EQ(map.wall(p.ticks), p.wall_ns);
}

TEST(ClockMap, AgreesWithExactArithmeticOverYears) {
  std::mt19937_64 random(1);
  const std::uint64_t year_of_ticks = 3'000'000'000ull * 86400 * 365;
  for (int round = 0; round < 300; ++round) {
    std::vector<ClockPoint> points;
    std::uint64_t ticks = random() % (1ull << 40);
    std::int64_t wall = kNow + static_cast<std::int64_t>(random() % 1'000'000'000);
    const int count = 2 + static_cast<int>(random() % 6);
    for (int i = 0; i < count; ++i) {
      points.push_back(point(ticks, wall, 1 / 3.0));
      const int magnitude = 1 + static_cast<int>(random() % 57);
      const std::uint64_t step = 1 + random() % std::min(year_of_ticks * 3, std::uint64_t{1} << magnitude);
      ticks += step;
      wall +=
          static_cast<std::int64_t>(static_cast<double>(step) * (0.2 + static_cast<double>(random() % 1000) / 1000));
    }
    const ClockMap map(points, 1 / 3.0);
    EXPECT_TRUE(map.monotone());
    std::vector<std::uint64_t> samples;
    std::vector<std::int64_t> expected;
    for (int i = 0; i + 1 < count; ++i) {
      const std::uint64_t range = points[i + 1].ticks - points[i].ticks;
      for (int k = 0; k < 40; ++k) {
        samples.push_back(points[i].ticks + (k == 0 ? 0 : k == 1 ? range - 1 : random() % range));
        expected.push_back(exact(points[i], points[i + 1], samples.back()));
      }
    }
    std::vector<std::int64_t> walls(samples.size());
    map.walls(samples, walls.data());
    EXPECT_EQ(walls, expected);
    for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(map.wall(samples[i]), expected[i]);
    std::vector<std::int64_t> keys(samples.size());
    map.merge_keys(samples, keys.data());
    EXPECT_EQ(keys, expected);
  }
}

TEST(ClockMap, GoesOnAtTheRateOfTheOuterPoints) {
  const ClockMap map({point(1'000'000, kNow, 0.5), point(2'000'000, kNow + 500'000, 0.25)}, 1);
  EXPECT_EQ(map.wall(999'998), kNow - 1);
  EXPECT_EQ(map.wall(999'999), kNow - 1);  // rounded down, before the point too
  EXPECT_EQ(map.wall(0), kNow - 500'000);
  EXPECT_EQ(map.wall(2'000'004), kNow + 500'001);
  EXPECT_EQ(map.wall(6'000'000), kNow + 1'500'000);
}

TEST(ClockMap, NonDecreasingAcrossRoundings) {
  std::mt19937_64 random(2);
  std::vector<ClockPoint> points;
  std::uint64_t ticks = 12345;
  std::int64_t wall = kNow;
  for (int i = 0; i < 20; ++i) {
    points.push_back(point(ticks, wall, 0.3));
    ticks += 1 + random() % 50;
    wall += static_cast<std::int64_t>(random() % 30);
  }
  const ClockMap map(points, 0.3);
  std::int64_t last = INT64_MIN;
  for (std::uint64_t t = 12300; t < ticks + 50; ++t) {
    EXPECT_GE(map.wall(t), last);
    last = map.wall(t);
  }
}

TEST(ClockMap, AStepBackStopsTheMergeKeyUntilTimeCatchesUp) {
  const ClockMap map(
      {point(1000, kNow, 1), point(2000, kNow + 1000, 1), point(3000, kNow + 500, 1, ClockPoint::kStepped)}, 1);
  EXPECT_FALSE(map.monotone());
  EXPECT_EQ(map.wall(2999), kNow + 1999);  // the old line goes on up to the step
  EXPECT_EQ(map.wall(3000), kNow + 500);
  EXPECT_EQ(map.merge_key(2999), kNow + 1999);
  EXPECT_EQ(map.merge_key(3000), kNow + 1999);
  EXPECT_EQ(map.merge_key(4499), kNow + 1999);
  EXPECT_EQ(map.merge_key(4500), kNow + 2000);
  std::int64_t last = INT64_MIN;
  for (std::uint64_t t = 0; t < 6000; ++t) {
    EXPECT_GE(map.merge_key(t), last);
    last = map.merge_key(t);
  }
}

TEST(ClockMap, TwoPointsOfOneTickAreAStep) {
  const ClockMap map({point(1000, kNow, 1), point(2000, kNow + 1000, 1), point(2000, kNow + 5000, 1, 1)}, 1);
  EXPECT_EQ(map.wall(1999), kNow + 999);
  EXPECT_EQ(map.wall(2000), kNow + 5000);
}

TEST(ClockMap, UnflaggedFallIsKeptNonDecreasing) {
  const ClockMap map({point(0, kNow, 1), point(1000, kNow - 1000, 1), point(2000, kNow + 10, 1)}, 1);
  EXPECT_EQ(map.wall(500), kNow - 500);
  EXPECT_EQ(map.wall(1), kNow - 1);
  std::int64_t last = INT64_MIN;
  for (std::uint64_t t = 0; t < 3000; ++t) {
    EXPECT_GE(map.merge_key(t), last);
    last = map.merge_key(t);
  }
}

TEST(ClockMap, UncertaintyIsThatOfTheWorseEnd) {
  ClockPoint points[] = {point(1000, kNow), point(2000, kNow + 1000), point(3000, kNow, 1, ClockPoint::kStepped),
                         point(4000, kNow + 1000)};
  const std::uint32_t uncertain[] = {70, 90, 2000, 80};
  for (int i = 0; i < 4; ++i) points[i].uncertainty_ns = uncertain[i];
  const ClockMap map({std::begin(points), std::end(points)}, 1);
  EXPECT_EQ(map.uncertainty(0), 70u);
  EXPECT_EQ(map.uncertainty(1000), 90u);
  EXPECT_EQ(map.uncertainty(1999), 90u);
  EXPECT_EQ(map.uncertainty(2000), 2000u);  // somewhere here the clock was set
  EXPECT_EQ(map.uncertainty(3000), 2000u);
  EXPECT_EQ(map.uncertainty(4000), 80u);
  EXPECT_EQ(ClockMap().uncertainty(5), 0u);
}

TEST(ClockMap, HostileValuesSaturate) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ClockMap map({point(UINT64_MAX, INT64_MIN, nan), point(0, INT64_MAX, 1e300)}, nan);
  for (const std::uint64_t t : {std::uint64_t{0}, std::uint64_t{1} << 63, UINT64_MAX}) {
    (void)map.wall(t);
    (void)map.merge_key(t);
  }
  const ClockMap high({point(0, INT64_MAX - 1, 1e10)}, 1);
  EXPECT_EQ(high.wall(UINT64_MAX), INT64_MAX);
  const ClockMap low({point(UINT64_MAX, INT64_MIN + 1, 1e10)}, 1);
  EXPECT_EQ(low.wall(0), INT64_MIN);
}

}  // namespace
}  // namespace steno::reader
