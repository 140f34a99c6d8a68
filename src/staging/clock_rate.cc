#include "staging/clock_rate.h"

#include <cmath>
#include <cstddef>

#include "base/checksum.h"

namespace steno::staging {
namespace {

constexpr double kSlew = 1e-3;       // kernels slew the wall clock by 5e-4
constexpr double kUnsteadyNs = 1e6;  // what else a reading may be off by
constexpr double kSlowest = 1e-3;    // ns per tick of counters that there are
constexpr double kFastest = 1e3;

std::uint64_t check_of(const SharedClock& clock) {
  return xxh3(&clock, offsetof(SharedClock, check), 0);
}

SharedClock copy(const SharedClock& from) {
  SharedClock clock{};
  clock.ticks = __atomic_load_n(&from.ticks, __ATOMIC_RELAXED);
  clock.wall_ns = __atomic_load_n(&from.wall_ns, __ATOMIC_RELAXED);
  __atomic_load(&from.ns_per_tick, &clock.ns_per_tick, __ATOMIC_RELAXED);
  clock.check = __atomic_load_n(&from.check, __ATOMIC_RELAXED);
  return clock;
}

}  // namespace

// Bytes of two writers that come at once do not agree with the check of either.
double load_clock_rate(const Doorbell* bell, const ClockReading& now) {
  const SharedClock clock = copy(bell->clock);
  if (clock.check != check_of(clock) || !(clock.ns_per_tick > kSlowest && clock.ns_per_tick < kFastest)) return 0;
  const double by_counter = static_cast<double>(static_cast<std::int64_t>(now.ticks - clock.ticks)) * clock.ns_per_tick;
  const double by_wall = static_cast<double>(now.wall_ns) - static_cast<double>(clock.wall_ns);
  return std::fabs(by_counter - by_wall) <= kUnsteadyNs + kSlew * std::fabs(by_counter) ? clock.ns_per_tick : 0;
}

void store_clock_rate(Doorbell* bell, const ClockReading& now, double ns_per_tick) {
  SharedClock clock = {now.ticks, now.wall_ns, ns_per_tick, 0};
  clock.check = check_of(clock);
  SharedClock& to = bell->clock;
  __atomic_store_n(&to.ticks, clock.ticks, __ATOMIC_RELAXED);
  __atomic_store_n(&to.wall_ns, clock.wall_ns, __ATOMIC_RELAXED);
  __atomic_store(&to.ns_per_tick, &clock.ns_per_tick, __ATOMIC_RELAXED);
  __atomic_store_n(&to.check, clock.check, __ATOMIC_RELAXED);
}

}  // namespace steno::staging
