#include "measure.h"

#include <steno/log.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace kv {

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t read_clock() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
#endif
}

// ns for one of kBurst calls of `call(i)`.
template <class F>
double burst(F&& call) {
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < kBurst; ++i) call(i);
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kBurst;
}

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

CallCost measure_call(std::size_t bursts) {
  std::vector<double> clock, call;
  for (std::size_t i = 0; i < bursts; ++i) {
    clock.push_back(burst([](std::size_t) {
      const std::uint64_t now = read_clock();
      asm volatile("" : : "r"(now));  // used, as far as the compiler can tell
    }));
    call.push_back(burst([](std::size_t n) {
      STENO_INFO("calibration {n}: {what} took {us:.1f} us", n, "one call", 0.5 * static_cast<double>(n));
    }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {median(clock), median(call), bursts * kBurst};
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace kv
