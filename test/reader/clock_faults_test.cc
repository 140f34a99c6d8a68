// Clocks that misbehave, from the scribe's readings over clock points to the times that a reader prints: a simulated
// machine whose wall clock is slewed and set, that sleeps, whose counter changes its rate, or differs between cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "drain/clock_model.h"
#include "file_builder.h"
#include "reader/merge.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using drain::ClockModel;
using format::ClockPoint;

constexpr double kRate = 0.3846;  // ns a tick

class Machine {
 public:
  // `interrupted`: now and then something gets between the scribe and a clock that it reads.
  explicit Machine(std::uint64_t seed, bool interrupted = true) : random(seed), interrupted_(interrupted) {}

  void advance(double ns) {
    wall_ += ns * (1 + slew_);
    ticks_ += ns / kRate * (1 + drift_);
  }
  void set_wall(double by) { wall_ += by; }
  void slew(double rate) { slew_ = rate; }
  void drift(double rate) { drift_ = rate; }
  // The counter stands still, time goes on.
  void sleep(double ns) { wall_ += ns; }

  std::uint64_t ticks() const { return static_cast<std::uint64_t>(ticks_); }
  std::int64_t wall() const { return test::FileBuilder::kStart + static_cast<std::int64_t>(std::floor(wall_)); }

  // Returns a reading of the scribe's: the wall clock somewhere between two reads of the counter, which lie a little
  // apart.
  ClockReading read() {
    const double half = 10 + uniform() * (random() % 50 == 0 && interrupted_ ? 4000 : 30);
    ClockReading reading;
    const double off = (uniform() * 2 - 1) * half;  // of the counter's middle from the moment of the wall clock's
    reading.wall_ns = wall();
    reading.ticks = static_cast<std::uint64_t>(ticks_ + off / kRate);
    reading.uncertainty_ns = static_cast<std::uint32_t>(half) + 1;
    return reading;
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random); }

  std::mt19937_64 random;

 private:
  bool interrupted_;
  double wall_ = 0;
  double ticks_ = 1e9;
  double slew_ = 0;
  double drift_ = 0;
};

struct Truth {
  std::uint64_t ticks;
  std::int64_t wall;
};

struct History {
  std::vector<ClockPoint> points;
  std::vector<ClockReading> looks;
  std::vector<Truth> recorded;  // what was true when a thread logged
};

using Fault = void (*)(Machine& machine);

void none(Machine&) {}
void step(Machine& machine) {
  machine.set_wall((machine.random() % 2 != 0 ? 1 : -1) * std::pow(10, 3 + machine.uniform() * 7));  // 1 us to 10 s
}
void slew(Machine& machine) {
  machine.slew((machine.uniform() * 2 - 1) * 5e-4);  // as far as adjtime goes
}
void drift(Machine& machine) {
  machine.drift((machine.uniform() * 2 - 1) * 2e-4);
}
void sleep(Machine& machine) {
  machine.sleep(std::pow(10, 6 + machine.uniform() * 7));  // 1 ms to 3 hours
}

// Four hundred looks, now and then a fault between two of them, and records before, at and after it.
History run(std::uint64_t seed, Fault fault, double first_rate = kRate, bool interrupted = true) {
  Machine machine(seed, interrupted);
  History history;
  ClockReading first = machine.read();
  history.looks.push_back(first);
  ClockModel model(first, first_rate);
  const auto log = [&] { history.recorded.push_back({machine.ticks(), machine.wall()}); };
  for (int i = 0; i < 400; ++i) {
    const double interval = std::pow(10, 5 + machine.uniform() * 4.5);  // 100 us to 3 s
    const bool faulty = i % 8 == 7 && machine.random() % 2 == 0;
    const double at = machine.uniform();
    machine.advance(interval * at / 2);
    log();
    machine.advance(interval * at / 2);
    log();
    if (faulty) fault(machine);
    log();
    machine.advance(interval * (1 - at));
    const ClockReading reading = machine.read();
    history.looks.push_back(reading);
    model.update(reading, false, &history.points);
  }
  machine.advance(1e6);
  const ClockReading last = machine.read();
  model.update(last, true, &history.points);
  history.looks.push_back(last);
  return history;
}

struct Case {
  const char* name;
  Fault fault;
};

class ClockFaults : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::uint64_t kSeeds = 300;
};
INSTANTIATE_TEST_SUITE_P(All, ClockFaults,
                         testing::Values(Case{"None", none}, Case{"Step", step}, Case{"Slew", slew},
                                         Case{"Drift", drift}, Case{"Sleep", sleep}),
                         [](const auto& param) { return param.param.name; });

TEST_P(ClockFaults, HonestWhereTheScribeLooked) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = run(seed, GetParam().fault);
    const ClockMap map(history.points, kRate);
    for (const ClockReading& look : history.looks) {
      const std::int64_t off = std::llabs(map.wall(look.ticks) - look.wall_ns);
      // A reading is itself true to its own uncertainty only; and times are whole nanoseconds.
      ASSERT_LE(off, std::int64_t{map.uncertainty(look.ticks)} + look.uncertainty_ns + 1)
          << "seed " << seed << " ticks " << look.ticks;
    }
  }
}

// No fault comes without the next look finding it, and that look tells how far off the times before it may be. What it
// cannot tell is the doubt of the rate itself, which was learnt over 20 ms at the least, to 140 ns at both ends.
TEST_P(ClockFaults, HonestInBetween) {
  constexpr std::int64_t kDoubtOfRate = 50'000;  // over the 3 s that are the longest between two looks
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = run(seed, GetParam().fault, kRate, false);
    const ClockMap map(history.points, kRate);
    for (const Truth& record : history.recorded) {
      const std::uint32_t promised = map.uncertainty(record.ticks);
      if (promised > 4'000'000'000) continue;  // more than the field holds
      ASSERT_LE(std::llabs(map.wall(record.ticks) - record.wall), std::int64_t{promised} + kDoubtOfRate)
          << "seed " << seed << " ticks " << record.ticks;
    }
  }
}

TEST_P(ClockFaults, OrderOfTicksIsTheOrderOfKeys) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const History history = run(seed, GetParam().fault);
    const ClockMap map(history.points, kRate);
    std::int64_t last = INT64_MIN;
    for (const Truth& record : history.recorded) {
      ASSERT_GE(map.merge_key(record.ticks), last) << "seed " << seed;
      last = map.merge_key(record.ticks);
    }
  }
}

// A first estimate that something disturbed must not stay.
TEST(ClockRate, AWrongFirstRateIsMended) {
  for (const double factor : {0.5, 0.98, 1.0001, 1.02, 3.0, 1e6}) {
    const History history = run(7, none, kRate * factor);
    ASSERT_FALSE(history.points.empty());
    EXPECT_NEAR(history.points.back().ns_per_tick / kRate, 1, 1e-6) << "factor " << factor;
    EXPECT_LT(history.points.size(), 60u) << "factor " << factor;
  }
}

// A thread that moves between cores whose counters differ: its ticks go back, its records stay in order.
TEST(ClockCores, AThreadKeepsItsOrderWhereItsCounterGoesBack) {
  std::mt19937_64 random(11);
  for (const bool rows : {false, true}) {
    test::FileBuilder b(rows);
    ClockPoint point;
    point.ticks = 1000;
    point.wall_ns = test::FileBuilder::kStart;
    point.ns_per_tick = kRate;
    b.session(1, 1).clock({point}).site(16, Level::kInfo, "{}", "m").thread(0, 1, "a").thread(1, 2, "b");
    std::uint64_t numbers[2] = {};
    std::uint64_t t = 100'000;
    for (int i = 0; i < 3000; ++i) {
      t += random() % 100;
      const auto ring = static_cast<std::uint32_t>(random() % 2);
      const std::uint64_t skew = random() % 4 == 0 ? 50'000 : 0;  // of the core it is on
      b.log(ring, 16, t - skew, test::Args().u64(numbers[ring]++));
      if (i % 200 == 0) b.flush();
    }
    const test::TempFile file(b.end().bytes());
    LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    for (const bool sort : {true, false}) {
      Merge merge(logs, {.decode = {}, .sort = sort});
      std::uint64_t next[2] = {};
      Slice slice;
      while (merge.next(&slice)) {
        for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
          text::Value value;
          slice.block->values(i, &value);
          const std::size_t ring = slice.thread->info.index - 1;
          ASSERT_EQ(value.bits, next[ring]++);
        }
      }
      EXPECT_EQ(next[0], numbers[0]);
      EXPECT_EQ(next[1], numbers[1]);
    }
  }
}

// The scribe's own readings on cores whose counters differ: what goes back is passed over, nothing breaks.
TEST(ClockCores, ReadingsThatGoBack) {
  Machine machine(3);
  ClockModel model(machine.read(), kRate);
  std::vector<ClockPoint> points;
  for (int i = 0; i < 2000; ++i) {
    machine.advance(machine.uniform() * 1e5);
    ClockReading reading = machine.read();
    if (i % 3 == 0) reading.ticks -= 2000;  // the other core
    model.update(reading, false, &points);
  }
  model.update(machine.read(), true, &points);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end(),
                             [](const ClockPoint& a, const ClockPoint& b) { return a.ticks < b.ticks; }));
  std::vector<ClockPoint> parsed;
  ByteBuffer out;
  format::append_clock_block(out, points, 1);
  EXPECT_TRUE(format::parse_clock_block({out.data() + 16, points.size() * 32}, &parsed).ok());
}

}  // namespace
}  // namespace steno::reader
