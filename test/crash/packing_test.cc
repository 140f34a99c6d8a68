// A scribe of other processes that dies while it packs short sessions (file.md §15): nothing is missing or repeated.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>
#include <string>

#include "arena.h"
#include "kill_points.h"

namespace steno::crash {
namespace {

class PackingPoint : public ::testing::TestWithParam<std::string> {
 protected:
  // A short process without a scribe of its own.
  void live(std::uint64_t run) {
    const End end =
        arena_.start_checker(STENO_KILLABLE_CHECKER, run, {{"threads", 1}, {"count", 3}}, {"STENO_SCRIBE=external"})
            .wait();
    EXPECT_TRUE(end.ok()) << end.text() << read_text(arena_.said_path("checker"));
  }
  Process start_scribe(const std::string& orders) {
    return arena_.start({STENO_KILLABLE_SCRIBE, arena_.log()}, "scribe-killable",
                        {"STENO_KILL_AT=" + orders, "STENO_KILL_LOG=" + arena_.directory() + "/visits"});
  }
  static bool has_ended(const Process& process) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(process.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }
  void check_all(std::uint64_t runs, const std::string& story) {
    Ledger printed;
    EXPECT_EQ(arena_.cat_log(&printed).value_or(""), "") << story;
    EXPECT_TRUE(arena_.start_steno({"recover", arena_.log()}, "recover").wait().ok()) << story;
    Ledger ledger;
    EXPECT_EQ(arena_.read_log(&ledger).value_or(""), "") << story;
    for (std::uint64_t run = 1; run <= runs; ++run) {
      const Counts counts = SharedCounts(arena_.counts_path(run)).read();
      printed.check(run, counts, true);
      ledger.check(run, counts, true);
    }
    EXPECT_EQ(printed.problems(), "") << story;
    EXPECT_EQ(ledger.problems(), "") << story;
    EXPECT_EQ(arena_.leftovers(), "") << story;
  }

  Arena arena_;
};

// Some sessions are written as ever before there is a model.
TEST_P(PackingPoint, NothingIsMissingOrRepeated) {
  std::uint64_t run = 0;
  const std::string orders = GetParam() + ":1";
  for (int round = 0; round < 2; ++round) {
    Process scribe = start_scribe(orders);
    bool died = false;
    for (int i = 0; i < 200 && !died; ++i) {
      live(++run);
      died = has_ended(scribe);
    }
    ASSERT_TRUE(died) << "never visited " << orders;
    EXPECT_TRUE(scribe.wait().killed());
    check_all(run, orders);
    for (int i = 0; i < 3; ++i) live(++run);
  }
  check_all(run, "afterwards");
}

std::set<std::string> packing_points() {
  std::set<std::string> points = all_points();
  std::erase_if(points, [](const std::string& point) { return !point.starts_with("packed."); });
  return points;
}

TEST(PackingPoints, AreInTheSources) {
  EXPECT_GE(packing_points().size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(, PackingPoint, ::testing::ValuesIn(packing_points()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace steno::crash
