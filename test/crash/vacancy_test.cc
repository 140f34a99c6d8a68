// Processes that die while they leave their staging to the next one, or take it over (ring.md §1.6).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "arena.h"
#include "kill_points.h"
#include "ring/layout.h"

namespace steno::crash {
namespace {

class VacancyPoint : public ::testing::TestWithParam<std::string> {
 protected:
  // Returns the end of a short process without a scribe of its own.
  End live(std::uint64_t run, const std::string& orders = {}) {
    std::vector<std::string> environment = {"STENO_SCRIBE=external", "STENO_KILL_LOG=" + visits()};
    if (!orders.empty()) environment.push_back("STENO_KILL_AT=" + orders);
    return arena_.start_checker(STENO_KILLABLE_CHECKER, run, {{"threads", 2}, {"count", 50}}, environment).wait();
  }

  bool has_vacant() const {
    const auto directories = arena_.stagings();
    return std::any_of(directories.begin(), directories.end(), [](const std::filesystem::path& directory) {
      const std::string session = read_text(directory / "session");
      ring::SessionFile file{};
      if (session.size() != sizeof file) return false;
      std::memcpy(&file, session.data(), sizeof file);
      return file.vacant == 1;
    });
  }

  // Runs processes until one has left its staging: a scribe needs a while until it is there. Returns the number of the
  // last.
  std::uint64_t leave_vacant() {
    std::uint64_t run = 0;
    do {
      EXPECT_TRUE(live(++run).ok());
    } while (!has_vacant() && run < 100);
    EXPECT_TRUE(has_vacant());
    return run;
  }

  void check_all(std::uint64_t runs) {
    Ledger printed;
    EXPECT_EQ(arena_.cat_log(&printed).value_or(""), "");
    EXPECT_TRUE(arena_.start_steno({"recover", arena_.log()}, "recover").wait().ok());
    Ledger ledger;
    EXPECT_EQ(arena_.read_log(&ledger).value_or(""), "");
    for (std::uint64_t run = 1; run <= runs; ++run) {
      const Counts counts = SharedCounts(arena_.counts_path(run)).read();
      if (counts.started == 0 && ledger.absent(run)) continue;
      printed.check(run, counts);
      ledger.check(run, counts);
    }
    EXPECT_EQ(printed.problems(), "");
    EXPECT_EQ(ledger.problems(), "");
    EXPECT_EQ(arena_.leftovers(), "");
  }

  std::string visits() const { return arena_.directory() + "/visits"; }

  Arena arena_;
};

TEST_P(VacancyPoint, NothingIsMissingOrRepeated) {
  Process scribe = arena_.start_steno({"scribe", arena_.log()}, "scribe");
  std::uint64_t run = leave_vacant();
  for (int i = 0; i < 2; ++i) {
    bool died = false;  // not where the scribe has not yet offered what the one before left
    for (int attempt = 0; attempt < 100 && !died; ++attempt) {
      const End end = live(++run, GetParam() + ":1");
      ASSERT_TRUE(end.ok() || end.killed()) << end.text() << read_text(arena_.said_path("checker"));
      died = end.killed();
    }
    EXPECT_TRUE(died) << "never visited";
    EXPECT_TRUE(live(++run).ok()) << read_text(arena_.said_path("checker"));
  }
  EXPECT_NE(read_text(visits()).find("vacancy.claimed"), std::string::npos) << "nothing was taken over";
  scribe.kill();
  scribe.wait();
  check_all(run);
}

// The points that a process visits that takes staging over, and those of one that leaves it.
std::set<std::string> vacancy_points() {
  return {"vacancy.claimed",
          "vacancy.unfinished",
          "vacancy.cleared",
          "staging.dictionary_written",
          "staging.dictionary_published",
          "core.staging_filled",
          "core.session_named",
          "core.path_set",
          "core.session_runs",
          "staging.ring_made",
          "vacancy.reserved",
          "vacancy.left",
          "vacancy.unlocked"};
}

TEST(VacancyPoints, AreAllInTheSources) {
  std::set<std::string> in_sources = all_points();
  std::erase_if(in_sources, [](const std::string& point) { return !point.starts_with("vacancy."); });
  std::set<std::string> listed = vacancy_points();
  std::erase_if(listed, [](const std::string& point) { return !point.starts_with("vacancy."); });
  EXPECT_EQ(listed, in_sources);
}

INSTANTIATE_TEST_SUITE_P(, VacancyPoint, ::testing::ValuesIn(vacancy_points()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace steno::crash
