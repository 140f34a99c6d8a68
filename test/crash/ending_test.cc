// Every way in which a process or a thread can end. Whatever it is, what was logged is there afterwards.
#include <gtest/gtest.h>

#include "../random_cases.h"
#include "../sanitizers.h"
#include "arena.h"

namespace steno::crash {
namespace {

struct Case {
  const char* name;
  Ending ending;
  bool in_order;      // exit status 0
  bool died = false;  // with its session under way
};

class EndingTest : public ::testing::TestWithParam<Case> {
 protected:
  // Runs a checker to its end, recovers, and holds the log against what it counted.
  void run(const Settings& settings, bool in_order) {
    const SharedCounts counts(arena_.counts_path(++run_));
    Settings all = settings;
    all.emplace_back("end", static_cast<std::uint64_t>(GetParam().ending));
    const End end = arena_.start_checker(STENO_CHECKER, run_, all).wait();
    const std::string story = text_of(all) + ": " + end.text() + ", " + read_text(arena_.said_path("checker"));
    EXPECT_EQ(end.ok(), in_order) << story;
    Ledger printed;
    EXPECT_EQ(arena_.cat_log(&printed).value_or(""), "") << story;
    printed.check(run_, counts.read());
    EXPECT_EQ(printed.problems(), "") << "steno cat before recovery\n" << story;
    EXPECT_EQ(printed.deaths(), GetParam().died ? 1u : 0u) << "steno cat before recovery\n" << story;

    EXPECT_TRUE(arena_.start_steno({"recover", arena_.log()}, "recover").wait().ok())
        << read_text(arena_.said_path("recover"));
    Ledger ledger;
    EXPECT_EQ(arena_.read_log(&ledger).value_or(""), "") << story;
    ledger.check(run_, counts.read());
    EXPECT_EQ(ledger.problems(), "") << story;
    EXPECT_EQ(ledger.deaths(), GetParam().died ? 1u : 0u) << story;
    EXPECT_EQ(arena_.leftovers(), "") << story;
    records_ += ledger.records();
    const std::optional<End> verified = arena_.verify_log();
    EXPECT_TRUE(verified && verified->ok()) << story << read_text(arena_.said_path("verify"));
    arena_.remove_logs();
  }

  Arena arena_;
  std::uint64_t run_ = 0;
  std::uint64_t records_ = 0;  // of all runs: on a busy machine one may end before its threads come to log
};

TEST_P(EndingTest, WhileThreadsLog) {
  if ((test::kAddressSanitizer || test::kThreadSanitizer) && GetParam().ending == Ending::kCancel)
    GTEST_SKIP() << "the sanitizers do not follow a cancelled thread's unwinding";
  const bool ok = GetParam().in_order;
  for (int i = 0; i < (test::all_cases() ? 3 : 1); ++i) {
    run({{"threads", 4}, {"ms", 15}}, ok);
    run({{"threads", 3}, {"ms", 15}, {"ring", 4096}, {"flush_ms", 0}}, ok);
    run({{"threads", 4}, {"ms", 15}, {"ring", 16384}, {"poll", 1}}, ok);
    run({{"threads", 2}, {"ms", 15}, {"pace", 10}, {"farewell", 1}}, ok);
    run({{"threads", 4}, {"ms", 10}, {"early", 1}, {"pace", 3}, {"rotate_us", 3000}}, ok);
  }
  EXPECT_GT(records_, 100u);
}

INSTANTIATE_TEST_SUITE_P(
    , EndingTest,
    ::testing::Values(Case{"Return", Ending::kReturn, true},  //
                      Case{"SigKill", Ending::kKill, false, true},
                      Case{"UnderscoreExit", Ending::kUnderscoreExit, true, true},
                      Case{"SigSegv", Ending::kSegmentationFault, false, true},
                      Case{"Abort", Ending::kAbort, false, true}, Case{"Terminate", Ending::kTerminate, false, true},
                      Case{"Exit", Ending::kExit, true}, Case{"QuickExit", Ending::kQuickExit, true, true},
                      Case{"MainReturns", Ending::kMainReturns, true},
                      Case{"Exception", Ending::kException, false, true}, Case{"Cancel", Ending::kCancel, true}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace steno::crash
