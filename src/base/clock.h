// Clocks: the cycle counter where it can be trusted, the wall clock, and one read against the other.
#pragma once

#include <cstdint>
#include <string_view>

namespace steno {

// Values are the format's (ring.md §2).
enum class ClockKind : std::uint32_t {
  kTsc = 1,     // x86-64 time-stamp counter
  kCntvct = 2,  // arm64 virtual counter
  kWall = 3,    // CLOCK_REALTIME, ns since the epoch
  kCoarse = 4,  // the counter, as of the scribe's last round
  kUser = 5,    // a function of the program's, ns since the epoch
};

// Returns whether the clock's ticks are nanoseconds since the epoch, so that a session needs no clock points.
constexpr bool ticks_are_wall(ClockKind kind) {
  return kind == ClockKind::kWall || kind == ClockKind::kUser;
}

// The machine's counter if it runs at one rate on all cores at all times and the kernel trusts it; else kWall. Cached.
ClockKind best_clock();

// The decision for x86-64, from the CPU's flag for an invariant counter and the kernel's clock source.
ClockKind choose_clock(bool invariant, std::string_view clock_source);

// ns since the Unix epoch.
std::int64_t wall_now();
// Seconds east of UTC here at that time.
std::int32_t utc_offset(std::int64_t wall_ns);
// ns, monotonic; for intervals.
std::int64_t monotonic_now();
// CPU time of the calling thread in ns.
std::int64_t thread_cpu_now();

// The counter's value, or wall_now() where there is none.
std::uint64_t counter_now();
// The value of a session's clock, whose ticks are those of the wall clock or of the counter (ticks_are_wall()); a
// program's own clock is taken to be the wall clock.
std::uint64_t ticks_now(bool are_wall);

// The counter and the wall clock at one moment.
struct ClockReading {
  std::uint64_t ticks = 0;
  std::int64_t wall_ns = 0;
  std::uint32_t uncertainty_ns = 0;  // how far the wall clock's time when that tick began may be from wall_ns
};

// Best of a few brackets: about 200 ns. `ns_per_tick` converts the bracket; pass a guess, such as
// nominal_ns_per_tick().
ClockReading read_both(double ns_per_tick);

// Reads any counter and wall clock at one moment. A counter may tick slowly, as that of arm64 (40 ns): then most
// brackets are of no tick or one, and what the counter leaves out of each reading counts.
template <class Counter, class Wall>
ClockReading read_between(const Counter& counter, const Wall& wall_clock, double ns_per_tick) {
  ClockReading best;
  std::uint64_t narrowest = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = counter();
    const std::int64_t wall = wall_clock();
    const std::uint64_t after = counter();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best.ticks = before + narrowest / 2;
    best.wall_ns = wall;
  }
  // The wall clock was read in one of the ticks from `before` to `after`, at any moment of it.
  const std::uint64_t farthest = narrowest - narrowest / 2 + 1;
  const double ns = static_cast<double>(farthest) * ns_per_tick;
  best.uncertainty_ns = ns < 4e9 ? static_cast<std::uint32_t>(ns) + 1 : UINT32_MAX;
  return best;
}

// One moment on the counter, the wall clock, and a clock that nobody sets.
struct ClockMoment {
  ClockReading reading;
  std::int64_t monotonic_ns = 0;
};
// Returns whether the counter's rate can be measured between the two: they are at most a second apart, and meanwhile
// the wall clock was not set, nor the machine suspended.
bool spans_steady_time(const ClockMoment& first, const ClockMoment& last);

// ns per tick of the counter as far as is known without measuring: what the machine says (arm64), or no less than it is
// (x86, whose counters run at 1 GHz and more).
double nominal_ns_per_tick();

// ns per tick of the counter, over 2 ms or more: since the program was loaded, if that is at most 1 s ago, else from
// now on. Waits until the 2 ms are over. 1.0 where best_clock() is kWall.
double estimate_ns_per_tick();

}  // namespace steno
