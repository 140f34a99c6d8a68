// SIGKILL at random moments. STENO_CRASH_RUNS says how often (100), STENO_CRASH_SEED from which seed on.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "killer.h"

namespace steno::crash {
namespace {

TEST(Kill, AtRandomMoments) {
  const char* runs = getenv("STENO_CRASH_RUNS");
  const std::uint64_t rounds = runs != nullptr ? strtoull(runs, nullptr, 10) : 25;
  const std::uint64_t seed = first_seed();
  printf("seeds %llu to %llu\n", static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed + rounds));
  Arena arena;
  Killer killer(arena, STENO_CHECKER);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Problem problem = killer.round(seed + round);
    ASSERT_FALSE(problem.has_value()) << *problem << "\nin " << arena.directory() << " and " << arena.staging_root()
                                      << "\nround " << round << ", " << killer.story();
  }
  const Problem problem = killer.finish();
  ASSERT_FALSE(problem.has_value()) << *problem;

  const KillerReport& report = killer.report();
  printf(
      "%llu kills (%llu before start() returned), %llu recoveries (%llu more were killed), %llu restarts, "
      "%llu rotations (%llu noticed), %llu calls, longest recovery %.3f s\n",
      static_cast<unsigned long long>(report.kills), static_cast<unsigned long long>(report.unstarted),
      static_cast<unsigned long long>(report.recoveries), static_cast<unsigned long long>(report.recoveries_killed),
      static_cast<unsigned long long>(report.restarts), static_cast<unsigned long long>(report.rotations),
      static_cast<unsigned long long>(report.reopened), static_cast<unsigned long long>(report.calls),
      report.longest_recovery);
  EXPECT_EQ(report.kills, rounds);
  if (rounds >= 100) {  // it did what it says
    EXPECT_GT(report.unstarted, 0u);
    EXPECT_GT(report.recoveries_killed, 0u);
    EXPECT_GT(report.restarts, 0u);
    EXPECT_GT(report.reopened, 0u);
    EXPECT_GT(report.rotations, report.reopened);
    EXPECT_GT(report.calls, 10000u);
  }
}

}  // namespace
}  // namespace steno::crash
