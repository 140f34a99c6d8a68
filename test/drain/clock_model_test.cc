// Points of a session's clock: the line between them must meet a wall clock that is slewed and set.
#include "drain/clock_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace steno::drain {
namespace {

// The wall time of `ticks` by the points, as file.md §4 says.
double wall_by(const std::vector<format::ClockPoint>& points, std::uint64_t ticks) {
  std::size_t i = 0;
  while (i + 1 < points.size() && points[i + 1].ticks <= ticks) ++i;
  const auto& p = points[i];
  const bool last = i + 1 == points.size() || (points[i + 1].flags & 1) != 0;
  const double rate = last ? p.ns_per_tick
                           : static_cast<double>(points[i + 1].wall_ns - p.wall_ns) /
                                 static_cast<double>(points[i + 1].ticks - p.ticks);
  return static_cast<double>(p.wall_ns) + static_cast<double>(static_cast<std::int64_t>(ticks - p.ticks)) * rate;
}

struct Clock {
  double rate;  // ns a tick
  double wall = 1e15;
  std::uint64_t ticks = 1'000'000;

  void advance(double seconds) {
    const auto step = static_cast<std::uint64_t>(seconds * 1e9 / 0.4);
    ticks += step;
    wall += static_cast<double>(step) * rate;
  }
  ClockReading read(std::uint32_t noise = 0) const { return {ticks, std::llround(wall) + noise, 20}; }
};

TEST(ClockModel, FewPointsWhileTheLineHolds) {
  Clock clock{0.4};
  ClockModel model(clock.read(), 0.4);
  std::vector<format::ClockPoint> points;
  for (int i = 0; i < 10000; ++i) {
    clock.advance(0.1);
    model.update(clock.read(static_cast<std::uint32_t>(i % 30)), false, &points);
  }
  EXPECT_LE(points.size(), 2u);
}

TEST(ClockModel, APointThatIsThereIsNotWrittenAgain) {
  Clock clock{0.4};
  std::vector<format::ClockPoint> points;
  ClockModel first(clock.read(), 0.4);
  first.update(clock.read(), false, &points);
  ASSERT_EQ(points.size(), 1u);
  ClockModel second({points[0].ticks, points[0].wall_ns, points[0].uncertainty_ns}, points[0].ns_per_tick);
  second.go_on();
  clock.advance(0.01);
  second.update(clock.read(), false, &points);
  EXPECT_EQ(points.size(), 1u);
  second.update(clock.read(), true, &points);
  clock.advance(0.01);
  second.update(clock.read(), true, &points);
  EXPECT_EQ(points.size(), 3u);
}

// A record that was logged before a session began, and is drained in it, has the time that it has in the one before.
TEST(ClockModel, ASessionGoesOnWithTheLineOfTheOneBefore) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Clock clock{0.4};
    ClockModel model(clock.read(), 0.4 * (1 + 1e-5 * (random() % 5)));
    std::vector<format::ClockPoint> before;
    for (unsigned looks = 1 + random() % 5; looks != 0; --looks) {
      clock.advance(0.0001 * (1 + random() % 2000));
      model.update(clock.read(random() % 30), looks == 1 || random() % 3 == 0, &before);
    }
    std::vector<format::ClockPoint> after;
    model.begin_session();
    clock.advance(0.0001 * (random() % 2));
    model.update(clock.read(random() % 30), true, &after);
    ASSERT_GE(before.size(), 2u);
    for (const double part : {0.0, 0.25, 0.5, 0.999, 1.0}) {
      const std::uint64_t from = before[before.size() - std::min(before.size(), kPointsKept)].ticks;
      const auto ticks = from + static_cast<std::uint64_t>(part * static_cast<double>(before.back().ticks - from));
      EXPECT_EQ(wall_by(before, ticks), wall_by(after, ticks)) << round << " " << part;
    }
  }
}

// A stranger's staging may state anything about its clock (ring.md §2).
TEST(ClockModel, TimesThatDoNotFitStayAtTheEndOfTime) {
  EXPECT_EQ(ClockModel({0, INT64_MAX - 5, 0}, 1).wall_of(100), INT64_MAX);
  EXPECT_EQ(ClockModel({100, INT64_MIN + 5, 0}, 1).wall_of(0), INT64_MIN);
  EXPECT_EQ(ClockModel({0, 0, 0}, 1e10).wall_of(UINT64_MAX / 2), INT64_MAX);
  EXPECT_EQ(ClockModel({UINT64_MAX / 2, 0, 0}, 1e10).wall_of(0), INT64_MIN);
}

TEST(ClockModel, HostileReadingsStayPlausiblePoints) {
  constexpr std::int64_t kWalls[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto reading = [&] {
      return ClockReading{random() >> random() % 64, kWalls[random() % std::size(kWalls)],
                          static_cast<std::uint32_t>(random())};
    };
    ClockModel model(reading(), random() % 2 == 0 ? 1e10 : 1e-9);
    std::vector<format::ClockPoint> points;
    for (int i = 0; i < 8; ++i) {
      model.update(reading(), random() % 2 == 0, &points);
      (void)model.wall_of(random());
    }
    for (std::size_t i = 1; i < points.size(); ++i) {
      ASSERT_LE(points[i - 1].ticks, points[i].ticks);
      ASSERT_TRUE(std::isfinite(points[i].ns_per_tick));
    }
  }
}

TEST(ClockModel, AWrongFirstEstimateIsCorrectedWithinAMicrosecond) {
  Clock clock{0.4};
  ClockModel model(clock.read(), 0.4 * (1 + 2e-5));
  std::vector<format::ClockPoint> points;
  std::vector<std::pair<std::uint64_t, double>> truth;
  for (int i = 0; i < 3000; ++i) {
    clock.advance(0.01);
    truth.emplace_back(clock.ticks, clock.wall);
    model.update(clock.read(), false, &points);
  }
  model.update(clock.read(), true, &points);
  for (const auto& [ticks, wall] : truth) EXPECT_NEAR(wall_by(points, ticks), wall, 1000) << ticks;
  EXPECT_LT(points.size(), 100u);
}

TEST(ClockModel, FollowsSlew) {
  Clock clock{0.4};
  ClockModel model(clock.read(), 0.4);
  std::vector<format::ClockPoint> points;
  std::vector<std::pair<std::uint64_t, double>> truth;
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    if (i % 1000 == 0)
      clock.rate = 0.4 * (1 + (static_cast<double>(random() % 2000) - 1000) * 1e-9);  // a ppm either way
    clock.advance(0.1);
    truth.emplace_back(clock.ticks, clock.wall);
    model.update(clock.read(static_cast<std::uint32_t>(random() % 20)), false, &points);
  }
  model.update(clock.read(), true, &points);
  for (const auto& [ticks, wall] : truth) ASSERT_NEAR(wall_by(points, ticks), wall, 1000) << ticks;
}

TEST(ClockModel, MarksASetClock) {
  Clock clock{0.4};
  ClockModel model(clock.read(), 0.4);
  std::vector<format::ClockPoint> points;
  for (int i = 0; i < 100; ++i) {
    clock.advance(0.1);
    if (i == 50) clock.wall -= 3.6e12;  // an hour back
    model.update(clock.read(), false, &points);
  }
  int stepped = 0;
  for (const auto& point : points) stepped += static_cast<int>(point.flags & 1);
  EXPECT_EQ(stepped, 1);
  EXPECT_NEAR(wall_by(points, clock.ticks), clock.wall, 1000);
}

// Records have the tick that they were logged in: their times by the points are off by no more than these say.
TEST(ClockModel, TheStatedUncertaintyIncludesTheTick) {
  for (const double ns_per_tick : {0.4, 16.0, 40.0, 41.666666}) {
    std::mt19937_64 random(11);
    double wall = 1e15;
    double slewed = 1;
    double count = 1e6;  // ticks, and parts of them
    const auto pass = [&](double ns) {
      count += ns / ns_per_tick;
      wall += ns * slewed;
    };
    const auto read = [&] {
      return read_between(
          [&] {
            pass(5 + static_cast<double>(random() % 20));
            return static_cast<std::uint64_t>(count);
          },
          [&] {
            pass(5 + static_cast<double>(random() % 20));
            return static_cast<std::int64_t>(wall);
          },
          ns_per_tick);
    };
    ClockModel model(read(), ns_per_tick);
    std::vector<format::ClockPoint> points;
    model.update(read(), false, &points);
    std::vector<std::pair<std::uint64_t, double>> records;
    for (int i = 0; i < 4000; ++i) {
      pass(1e7 + static_cast<double>(random() % 1000));
      records.emplace_back(static_cast<std::uint64_t>(count), wall);
      model.update(read(), i % 500 == 0, &points);
    }
    model.update(read(), true, &points);
    double worst = 0;
    for (const auto& [ticks, when] : records) {
      std::uint32_t stated = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const bool before = points[i].ticks <= ticks && (i + 1 == points.size() || points[i + 1].ticks > ticks);
        if (!before) continue;
        stated = std::max(points[i].uncertainty_ns, i + 1 < points.size() ? points[i + 1].uncertainty_ns : 0);
      }
      const double off = std::fabs(wall_by(points, ticks) - when);
      ASSERT_LE(off, stated + 1.0) << ns_per_tick;
      worst = std::max(worst, off);
    }
    EXPECT_GE(worst, ns_per_tick / 2) << ns_per_tick;
    for (const format::ClockPoint& point : points) EXPECT_GE(point.uncertainty_ns, kToleranceNs + 2 * ns_per_tick);
  }
}

}  // namespace
}  // namespace steno::drain
