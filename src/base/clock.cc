#include "base/clock.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/early.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace steno {
namespace {

std::int64_t read_posix(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<std::int64_t>(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec;
}

#if defined(__x86_64__)
bool counter_is_invariant() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & (1u << 8)) != 0;
}

// The kernel's clock source; empty if there is no /sys, as in some containers.
std::string kernel_clock_source() {
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char text[32] = {};
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  return {text, n > 0 ? static_cast<std::size_t>(n) : 0};
}
#endif

}  // namespace

// The kernel watches the counter and changes to another clock source when it drifts; then it must not be used here
// either. If the clock source is unknown, rely on the CPU's flag.
ClockKind choose_clock(bool invariant, std::string_view clock_source) {
  for (const std::string_view other : {"hpet", "acpi_pm", "jiffies", "refined-jiffies"}) {
    if (clock_source.starts_with(other)) return ClockKind::kWall;
  }
  return invariant ? ClockKind::kTsc : ClockKind::kWall;
}

ClockKind best_clock() {
#if defined(__x86_64__)
  static const ClockKind kind = choose_clock(counter_is_invariant(), kernel_clock_source());
#elif defined(__aarch64__)
  static constexpr ClockKind kind = ClockKind::kCntvct;
#else
  static constexpr ClockKind kind = ClockKind::kWall;
#endif
  return kind;
}
STENO_MAKE_EARLY(best_clock())

std::int64_t wall_now() {
  return read_posix(CLOCK_REALTIME);
}
std::uint64_t ticks_now(bool are_wall) {
  return are_wall ? static_cast<std::uint64_t>(wall_now()) : counter_now();
}
std::int32_t utc_offset(std::int64_t wall_ns) {
  const auto seconds = static_cast<time_t>(wall_ns / 1'000'000'000);
  tm local{};
  return localtime_r(&seconds, &local) != nullptr ? static_cast<std::int32_t>(local.tm_gmtoff) : 0;
}

std::int64_t monotonic_now() {
  return read_posix(CLOCK_MONOTONIC);
}
std::int64_t thread_cpu_now() {
  return read_posix(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t counter_now() {
  switch (best_clock()) {
#if defined(__x86_64__)
    case ClockKind::kTsc:
      return __rdtsc();
#elif defined(__aarch64__)
    case ClockKind::kCntvct: {
      std::uint64_t ticks;
      asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
      return ticks;
    }
#endif
    default:
      return static_cast<std::uint64_t>(wall_now());
  }
}

ClockReading read_both(double ns_per_tick) {
  if (best_clock() == ClockKind::kWall) {
    const std::int64_t wall = wall_now();
    return {static_cast<std::uint64_t>(wall), wall, 0};
  }
  return read_between(counter_now, wall_now, ns_per_tick);
}

double nominal_ns_per_tick() {
#if defined(__aarch64__)
  std::uint64_t hertz = 0;
  asm("mrs %0, cntfrq_el0" : "=r"(hertz));
  // The register is the firmware's to set, and some leave it 0.
  if (hertz >= 1'000'000 && hertz <= 10'000'000'000) return 1e9 / static_cast<double>(hertz);
  return 1000.0;
#else
  return 1.0;
#endif
}

namespace {

ClockMoment moment_now() {
  return {read_both(nominal_ns_per_tick()), monotonic_now()};
}

const ClockMoment& when_loaded() {
  static const ClockMoment moment = moment_now();
  return moment;
}
STENO_MAKE_EARLY(when_loaded())

}  // namespace

bool spans_steady_time(const ClockMoment& first, const ClockMoment& last) {
  constexpr std::int64_t kMostNs = 1'000'000'000;
  constexpr std::int64_t kApartNs = 1'000;  // of the two clocks' readings
  const std::int64_t steady = last.monotonic_ns - first.monotonic_ns;
  const std::int64_t wall = last.reading.wall_ns - first.reading.wall_ns;
  return steady >= 0 && steady <= kMostNs && wall - steady <= kApartNs && steady - wall <= kApartNs;
}

double estimate_ns_per_tick() {
  if (best_clock() == ClockKind::kWall) return 1.0;
  const ClockMoment now = moment_now();
  const ClockReading first = spans_steady_time(when_loaded(), now) ? when_loaded().reading : now.reading;
  ClockReading last = first;
  while (last.wall_ns - first.wall_ns < 2'000'000) {
    last = read_both(nominal_ns_per_tick());
    if (last.wall_ns < first.wall_ns) return estimate_ns_per_tick();  // the wall clock was set back meanwhile
  }
  return static_cast<double>(last.wall_ns - first.wall_ns) / static_cast<double>(last.ticks - first.ticks);
}

}  // namespace steno
