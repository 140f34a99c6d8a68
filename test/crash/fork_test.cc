// Processes that fork, exec and spawn, and libraries that come and go (programs/forks.cc). Each process has a
// session of its own; nothing is missing, nothing twice, nobody hangs.
#include <gtest/gtest.h>

#include <string_view>

#include "../sanitizers.h"
#include "arena.h"

namespace steno::crash {
namespace {

struct Case {
  const char* name;
  const char* mode;
  std::uint64_t runs;      // processes that log
  std::uint64_t sessions;  // in the log; more than runs: some exec, or log nothing
};

class ForkTest : public ::testing::TestWithParam<Case> {
 protected:
  void check(const std::string& where, const Ledger& read) const {
    Ledger ledger = read;
    for (std::uint64_t run = 1; run <= GetParam().runs; ++run) {
      const Counts counts = SharedCounts(arena_.counts_path(run)).read();
      EXPECT_GT(counts.threads[0].done, 0u) << "run " << run;
      ledger.check(run, counts, true);
    }
    EXPECT_EQ(ledger.problems(), "") << where;
    EXPECT_TRUE(ledger.absent(GetParam().runs + 1));
  }

  Arena arena_;
};

TEST_P(ForkTest, EachHasItsOwnSession) {
  if (test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  if (test::kAddressSanitizer && std::string_view(GetParam().mode) == "threads") {
    GTEST_SKIP()
        << "AddressSanitizer's allocator hangs in the child of a fork that came while another thread was in it";
  }
  for (int i = 0; i < 5; ++i) {
    const End end =
        arena_
            .start({STENO_FORKS, GetParam().mode, arena_.log(), arena_.directory() + "/counts-", STENO_NUMBERED_PLUGIN},
                   "forks")
            .wait();
    EXPECT_TRUE(end.ok()) << end.text();
    EXPECT_EQ(read_text(arena_.said_path("forks")), "");
    Ledger printed;
    EXPECT_EQ(arena_.cat_log(&printed).value_or(""), "");
    check("steno cat before recovery", printed);

    EXPECT_TRUE(arena_.start_steno({"recover", arena_.log()}, "recover").wait().ok())
        << read_text(arena_.said_path("recover"));
    Ledger ledger;
    EXPECT_EQ(arena_.read_log(&ledger).value_or(""), "");
    check("recovered", ledger);
    EXPECT_EQ(arena_.leftovers(), "");
    const std::optional<End> verified = arena_.verify_log();
    EXPECT_TRUE(verified && verified->ok()) << read_text(arena_.said_path("verify"));
    const std::string sessions = " " + std::to_string(GetParam().sessions) + " session";
    EXPECT_NE(read_text(arena_.said_path("verify")).find(sessions), std::string::npos)
        << sessions << ": " << read_text(arena_.said_path("verify"));
    if (HasFailure()) return;
    arena_.remove_logs();
  }
}

INSTANTIATE_TEST_SUITE_P(, ForkTest,
                         ::testing::Values(Case{"ChildLogs", "child", 1, 2}, Case{"ParentLogs", "parent", 1, 1},
                                           Case{"BothLog", "both", 2, 2}, Case{"ChildExecs", "exec", 3, 3},
                                           Case{"ChildExitsAtOnce", "exit-at-once", 3, 3},
                                           Case{"Daemon", "daemon", 2, 2}, Case{"WhileThreadsLog", "threads", 25, 25},
                                           Case{"BeforeStart", "before-start", 5, 5},
                                           Case{"Generations", "generations", 6, 6}, Case{"Spawn", "spawn", 1, 1},
                                           Case{"Plugin", "plugin", 1, 1}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace steno::crash
