// Load, kills, restarts, rotations and recoveries in a loop, beside a process that lives through all of it.
// scripts/soak runs it. Usage: soak SECONDS RESULT.json; STENO_CRASH_SEED: from which seed on. Exit status 1: something
// is missing or leaks; standard output says what, and how to repeat it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "../killer.h"
#include "../long_lived.h"

namespace steno::crash {
namespace {

std::uint64_t own_descriptors() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::uint64_t>(std::distance(begin(files), end(files)));
}

// One result in the format of scripts/render_bench.
class Result {
 public:
  void row(const char* label, double value) {
    rows_ += std::string(rows_.empty() ? "" : ",") + "\n    {\"label\": \"" + label +
             "\", \"values\": {\"count\": " + text(value) + "}}";
    printf("%-48s %s\n", label, text(value).c_str());
  }
  // Returns false if the value is above its limit.
  bool bar(const char* metric, double value, double limit) {
    const bool ok = value <= limit;
    bars_ += std::string(bars_.empty() ? "" : ",") + "\n    {\"metric\": \"" + metric +
             "\", \"value\": " + text(value) + ", \"limit\": " + text(limit) + ", \"ok\": " + (ok ? "true" : "false") +
             "}";
    printf("%-48s %s (at most %s)%s\n", metric, text(value).c_str(), text(limit).c_str(), ok ? "" : "  TOO MUCH");
    return ok;
  }
  bool write(const char* path, std::uint64_t seconds) const {
    FILE* file = fopen(path, "w");
    if (file == nullptr) return false;
    fprintf(file,
            "{\"suites\": [\n  {\"name\": \"soak\", \"title\": \"%llu seconds of load, kills, restarts, rotations and "
            "recoveries\",\n   \"unit\": \"count\", \"rows\": [%s],\n   \"bars\": [%s]}]}\n",
            static_cast<unsigned long long>(seconds), rows_.c_str(), bars_.c_str());
    return fclose(file) == 0;
  }

 private:
  static std::string text(double value) {
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%.15g", value);
    return buffer;
  }
  std::string rows_;
  std::string bars_;
};

Problem soak(std::uint64_t seconds, std::uint64_t seed, Killer* killer, LongLived* long_lived) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (; std::chrono::steady_clock::now() < until; ++seed) {
    if (Problem problem = killer->round(seed)) return *problem + "\n" + killer->story();
    if (Problem problem = long_lived->turn()) return problem;
  }
  if (Problem problem = killer->finish()) return *problem + "\n" + killer->story();
  return long_lived->finish();
}

bool report(const KillerReport& killed, const LongLivedReport& lived, std::uint64_t descriptors, Result* result) {
  const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
  result->row("kills", count(killed.kills));
  result->row("kills before start() had returned", count(killed.unstarted));
  result->row("recoveries", count(killed.recoveries));
  result->row("recoveries killed", count(killed.recoveries_killed));
  result->row("restarts", count(killed.restarts + lived.restarts));
  result->row("rotations", count(killed.rotations + lived.rotations));
  result->row("log calls of the killed, all accounted for", count(killed.calls));
  result->row("of these, told dropped", count(killed.dropped));
  result->row("records of the long-lived process", count(lived.records));
  result->row("its drops while it restarted, told", count(lived.dropped));
  result->row("longest recovery, ms", killed.longest_recovery * 1000);
  result->row("memory of the long-lived process early, KiB", count(lived.rss_early_kib));
  result->row("memory of the long-lived process late, KiB", count(lived.rss_late_kib));
  bool ok = result->bar("records missing", 0, 0);  // else we would not be here
  if (lived.rss_early_kib != 0 && lived.rss_late_kib != 0) {
    // The scribe keeps state for columns, within a bound of its own. In a short run it is not there early.
    constexpr double kKeptKib = 16 * 1024;
    ok &= result->bar("memory, late over early and 16 MiB",
                      count(lived.rss_late_kib) / (count(lived.rss_early_kib) + kKeptKib), 1.1);
    ok &= result->bar("descriptors of the long-lived process, late minus early",
                      count(lived.descriptors_late) - count(lived.descriptors_early), 0);
  } else {
    printf("whether the long-lived process leaks was not measured: the machine was too busy\n");
  }
  ok &= result->bar("descriptors left open here", count(own_descriptors()) - count(descriptors), 0);
  return ok;
}

int run(std::uint64_t seconds, const char* result_path) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::uint64_t seed = first_seed();
  const std::uint64_t descriptors = own_descriptors();
  printf("seed %llu, %llu seconds\n", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seconds));
  KillerReport killed;
  LongLivedReport lived;
  {
    Arena arena;
    Killer killer(arena, STENO_CHECKER);
    LongLived long_lived(STENO_CHECKER, seconds);
    if (const Problem problem = soak(seconds, seed, &killer, &long_lived)) {
      printf("%s\nafter %llu kills, in %s and %s\n", problem->c_str(),
             static_cast<unsigned long long>(killer.report().kills), arena.directory().c_str(),
             arena.staging_root().c_str());
      return 1;
    }
    killed = killer.report();
    lived = long_lived.report();
  }
  Result result;
  const bool ok = report(killed, lived, descriptors, &result);
  if (!result.write(result_path, seconds)) {
    printf("cannot write %s\n", result_path);
    return 1;
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace steno::crash

int main(int argc, char** argv) {
  const unsigned long long seconds = argc == 3 ? strtoull(argv[1], nullptr, 10) : 0;
  if (seconds < 10) {
    fprintf(stderr, "usage: soak SECONDS RESULT.json (10 seconds at least)\n");
    return 64;
  }
  return steno::crash::run(seconds, argv[2]);
}
