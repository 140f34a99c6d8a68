#include "common/harness.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/clock.h"

namespace steno::bench {

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  std::string parent = std::filesystem::temp_directory_path();
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (std::strcmp(argv[i], "--smoke") == 0) {
      flags.smoke = true;
    } else if (std::strcmp(argv[i], "--json") == 0 && more) {
      flags.json = argv[++i];
    } else if (std::strcmp(argv[i], "--dir") == 0 && more) {
      parent = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--json FILE] [--dir DIRECTORY] [--smoke]\n", argv[0]);
      std::exit(2);
    }
  }
  flags.directory = parent + "/steno-bench-" + std::to_string(getpid());
  std::filesystem::create_directories(flags.directory);
  return flags;
}

std::string take_text(int* argc, char** argv, const char* name) {
  for (int i = 1; i + 1 < *argc; ++i) {
    if (std::strcmp(argv[i], name) != 0) continue;
    std::string value = argv[i + 1];
    std::copy(argv + i + 2, argv + *argc, argv + i);
    *argc -= 2;
    return value;
  }
  return {};
}

std::size_t take_number(int* argc, char** argv, const char* name, std::size_t fallback) {
  const std::size_t value = std::strtoull(take_text(argc, argv, name).c_str(), nullptr, 10);
  return value != 0 ? value : fallback;
}

bool take_flag(int* argc, char** argv, const char* name) {
  for (int i = 1; i < *argc; ++i) {
    if (std::strcmp(argv[i], name) != 0) continue;
    std::copy(argv + i + 1, argv + *argc, argv + i);
    --*argc;
    return true;
  }
  return false;
}

int finish(const Flags& flags, const std::vector<Suite>& suites) {
  std::filesystem::remove_all(flags.directory);
  for (const Suite& suite : suites) {
    for (const Bar& bar : suite.bars) {
      std::printf("%-4s %-70s %8.3f (bar %g)\n", bar.ok ? "ok" : "MISS", bar.metric.c_str(), bar.value, bar.limit);
    }
  }
  if (flags.json.empty()) return 0;
  const std::string text = to_json(suites);
  FILE* file = std::fopen(flags.json.c_str(), "w");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || std::fclose(file) != 0 || !written) {
    std::perror(flags.json.c_str());
    return 1;
  }
  return 0;
}

int cpu(int n) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  if (CPU_COUNT(&allowed) < 2) return -1;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed) && n-- == 0) return i;
  }
  return -1;
}

void pin(int n) {
  const int number = cpu(n);
  if (number < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(number), &one);
  sched_setaffinity(0, sizeof one, &one);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double ns_per_tick() {
  static const double rate = estimate_ns_per_tick();
  return rate;
}

std::uint64_t ticks_now() {
  return counter_now();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double percentile(const std::vector<double>& sorted, double q) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(q * last + 0.5)];
}

double clock_read_ns(std::size_t bursts) {
  return burst_ns(
      bursts,
      [](std::size_t) {
#if defined(__x86_64__)
        const std::uint64_t now = __builtin_ia32_rdtsc();
#else
        const std::uint64_t now = counter_now();
#endif
        asm volatile("" : : "r"(now));
      },
      [] {});
}

}  // namespace steno::bench
