// Common parts of benchmarks: flags, pinning, clocks, medians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/suites.h"

namespace steno::bench {

struct Flags {
  bool smoke = false;     // one iteration of everything
  std::string json;       // where the suites go; empty: nowhere
  std::string directory;  // for log files; removed at exit
};

// Understands --json FILE, --dir DIRECTORY and --smoke; anything else ends the program with 2. Makes a directory of its
// own.
Flags parse_flags(int argc, char** argv);
// Returns the value of `--NAME VALUE`, and takes it out of the arguments; `fallback` if it is not there.
std::size_t take_number(int* argc, char** argv, const char* name, std::size_t fallback);
// Returns the same option as a text; empty if it is not there.
std::string take_text(int* argc, char** argv, const char* name);
// Returns whether `--NAME` is there; takes it out.
bool take_flag(int* argc, char** argv, const char* name);
// Prints the bars, writes the JSON if asked for, removes the directory. The exit code: 1 if the JSON cannot be written;
// a bar that is missed is printed, no error, since machines differ.
int finish(const Flags& flags, const std::vector<Suite>& suites);

// Keeps the calling thread, and those it starts, on the n-th CPU that the process may use. With too few: no change.
void pin(int n);
// The number of that CPU, for Options::scribe_cpu; -1 with too few.
int cpu(int n);

double seconds_now();
// ns per tick of the counter, measured once.
double ns_per_tick();
std::uint64_t ticks_now();
double median(std::vector<double> values);
// `sorted` ascending; q in [0, 1].
double percentile(const std::vector<double>& sorted, double q);
// A bare read of the clock that log calls read, in bursts of 2,000.
double clock_read_ns(std::size_t bursts);

inline constexpr std::size_t kBurst = 2'000;

// The rest of the program happens here, as far as the compiler knows: nothing is kept in registers from one call to the
// next.
inline void forget_registers() {
  asm volatile("" : : : "memory");
}

// Median ns per call of f(i), in bursts; between() runs before each burst.
template <class F, class Between>
double burst_ns(std::size_t bursts, F&& f, Between&& between) {
  std::vector<double> each;
  for (std::size_t b = 0; b < bursts; ++b) {
    between();
    const std::uint64_t begin = ticks_now();
    for (std::size_t i = 0; i < kBurst; ++i) {
      f(i);
      forget_registers();
    }
    each.push_back(static_cast<double>(ticks_now() - begin) * ns_per_tick() / kBurst);
  }
  return median(each);
}

}  // namespace steno::bench
