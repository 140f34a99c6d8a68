// A process that kills itself between any two steps of start, logging, rotation, restart, end and recovery
// (base/kill_point.h). Every point in the sources is visited; wherever it was, nothing is missing afterwards.
#include <gtest/gtest.h>
#include <steno/reader.h>
#include <steno/session.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string_view>

#include "../sanitizers.h"
#include "arena.h"
#include "kill_points.h"

namespace steno::crash {
namespace {

std::int64_t wall_now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

class KillPoint : public ::testing::TestWithParam<std::string> {
 protected:
  // Lives that come by different points: a short one with most things in it; one whose ring is too small, so that it
  // drops; a long one for what the scribe does once a second; one whose rings grow, because nobody drains them; one
  // with a flight recorder.
  enum class Life { kShort, kDropping, kLong, kGrowing, kRecording };
  static Settings settings_of(Life life, std::uint64_t run) {
    switch (life) {
      case Life::kShort:
        return {{"threads", 3},       {"count", 600},    {"ring", 4096},     {"pace", 40},
                {"restart_us", 2500}, {"flush_us", 700}, {"early", run % 2}, {"own_rotate_us", 300}};
      case Life::kDropping:
        return {{"threads", 3}, {"count", test::sampled(20000)}, {"ring", 4096}, {"drop", 1}, {"restart_us", 1000}};
      case Life::kLong:
        return {{"threads", 3}, {"ms", 1300},          {"ring", 16384},
                {"pace", 1},    {"rotate_us", 300000}, {"own_rotate_us", 200000},
                {"on_start", 1}};
      case Life::kRecording:
        return {{"threads", 3},    {"count", 600},     {"ring", 4096},          {"pace", 40},
                {"flush_us", 700}, {"early", run % 2}, {"own_rotate_us", 3000}, {"recorder", 1}};
      case Life::kGrowing:
        return {{"threads", 3}, {"count", test::sampled(20000)}, {"ring", 1 << 20}, {"poll", 2}};
    }
    return {};
  }

  // Returns true if the checker ended by SIGKILL.
  bool live(std::uint64_t run, const std::string& orders, Life life = Life::kShort) {
    const Settings settings = settings_of(life, run);
    const End end = arena_.start_checker(STENO_KILLABLE_CHECKER, run, settings, {orders, visits()}).wait();
    EXPECT_TRUE(end.ok() || end.killed()) << end.text() << read_text(arena_.said_path("checker"));
    return end.killed();
  }

  bool recover(const std::string& orders) {
    const End end = arena_.start({STENO_KILLABLE_RECOVER, arena_.log()}, "recover-killable", {orders, visits()}).wait();
    EXPECT_TRUE(end.ok() || end.killed()) << end.text() << read_text(arena_.said_path("recover-killable"));
    return end.killed();
  }

  // Leaves two orphans behind: one of a process killed while it logs, one that died between two sessions.
  void leave_orphans(std::uint64_t run) {
    const SharedCounts counts(arena_.counts_path(run));
    Process logs = arena_.start_checker(STENO_KILLABLE_CHECKER, run, {{"threads", 3}, {"pace", 10}, {"flush_ms", 1}});
    while (counts.read().threads[0].done < 100) sleep_us(200);
    live(run + 1, "STENO_KILL_AT=core.session_named:2");
    killed_.push_back(logs.pid());
    logs.kill();
    logs.wait();
  }

  // One of a process that died before its first session ran; `run` even: nothing was logged.
  void leave_unstarted(std::uint64_t run) { live(run, "STENO_KILL_AT=core.session_named:1"); }

  // One of a process that dropped records, and nobody told of it in the log.
  void leave_unreported_drops(std::uint64_t run) {
    const Settings settings = {{"threads", 1}, {"count", 1000}, {"ring", 4096},
                               {"drop", 1},    {"poll", 2},     {"end", static_cast<std::uint64_t>(Ending::kKill)}};
    EXPECT_TRUE(arena_.start_checker(STENO_KILLABLE_CHECKER, run, settings).wait().killed());
  }

  // One of a process whose flight recorder has records, as have its rings for that.
  void leave_recorded(std::uint64_t run) { live(run, "STENO_KILL_AT=recorder.committed:5", Life::kRecording); }

  void check_all(std::uint64_t runs, const std::string& story) {
    Ledger printed;
    EXPECT_EQ(arena_.cat_log(&printed).value_or(""), "") << story;
    const End end = arena_.start_steno({"recover", arena_.log()}, "recover").wait();
    EXPECT_TRUE(end.ok()) << story << read_text(arena_.said_path("recover"));
    Ledger ledger;
    EXPECT_EQ(arena_.read_log(&ledger).value_or(""), "") << story;
    for (std::uint64_t run = 1; run <= runs; ++run) {
      const Counts counts = SharedCounts(arena_.counts_path(run)).read();
      if (counts.started == 0 && ledger.absent(run)) continue;  // it had no log to go to
      printed.check(run, counts);
      ledger.check(run, counts);
    }
    EXPECT_EQ(printed.problems(), "") << "steno cat before recovery: " << story;
    EXPECT_EQ(ledger.problems(), "") << story;
    for (const pid_t pid : killed_) {
      EXPECT_EQ(printed.deaths(pid), 1u) << "steno cat before recovery: " << story;
      EXPECT_EQ(ledger.deaths(pid), 1u) << story;
    }
    check_verify(story);
  }

  void check_verify(const std::string& story) {
    const std::optional<End> end = arena_.verify_log();
    if (!end) return;
    std::istringstream said(read_text(arena_.said_path("verify")));
    for (std::string line; std::getline(said, line);) {
      EXPECT_TRUE(line.find("complete: ") != std::string::npos || line.find("dropped") != std::string::npos)
          << line << "\n"
          << story;
    }
    EXPECT_FALSE(end->signalled) << story;
  }

  static constexpr std::uint64_t kRuns = 12;

  // Programs and recoveries that die at the point's n-th visit. Whether one did.
  bool round(int visit) {
    const std::string orders = "STENO_KILL_AT=" + GetParam() + ":" + std::to_string(visit);
    leave_orphans(1);
    bool died = live(3, orders);
    leave_orphans(4);
    died |= recover(orders);
    leave_unstarted(6);
    died |= recover(orders);
    leave_unreported_drops(7);
    died |= recover(orders);
    died |= live(8, orders, Life::kDropping);
    if (!died && visit == 1) died = live(9, orders, Life::kLong);
    if (!died && visit == 1) died = live(10, orders, Life::kGrowing);
    const std::string_view point = GetParam();
    if (visit == 1 && (point.starts_with("rec") || point.starts_with("scribe."))) {
      died |= live(11, orders, Life::kRecording);
      leave_recorded(12);
      died |= recover(orders);
    }
    check_all(kRuns, orders);
    EXPECT_EQ(arena_.leftovers(), "") << orders;
    if (!HasFailure()) start_afresh();
    return died;
  }

  void start_afresh() {
    killed_.clear();
    arena_.remove_logs();
    for (const auto& homeless : arena_.stagings()) std::filesystem::remove_all(homeless);
    for (std::uint64_t run = 1; run <= kRuns; ++run) std::filesystem::remove(arena_.counts_path(run));
  }

  std::string visits() const { return "STENO_KILL_LOG=" + arena_.directory() + "/visits"; }

  Arena arena_;
  std::vector<pid_t> killed_;  // while they logged, since the log was begun
};

// Some are visited only where a ring was full at the right moment.
TEST_P(KillPoint, NothingIsMissing) {
  bool died = false;
  for (int attempt = 0; attempt < 6 && !died && !HasFailure(); ++attempt) died = round(1);
  EXPECT_TRUE(died) << "never visited";
}

TEST_P(KillPoint, NothingIsMissingAtLaterVisits) {
  for (const int visit : {2, 7}) {
    round(visit);
    if (HasFailure()) return;
  }
}

// Whatever state a death left, a recovery of it may die at any of its own points.
TEST_P(KillPoint, ItsRecoveryMayDieToo) {
  for (const std::string& second : all_points()) {
    if (!second.starts_with("recover.") && !second.starts_with("staging.")) continue;
    for (const std::uint64_t run : {1, 2}) {  // threads log before start(); or not
      if (test::kAddressSanitizer && run != 1 + second.size() % 2) continue;
      const bool recording = GetParam().starts_with("recorder.") || GetParam() == "scribe.taken_aside";
      const bool died = live(run, "STENO_KILL_AT=" + GetParam() + ":1", recording ? Life::kRecording : Life::kShort);
      if (died && recover("STENO_KILL_AT=" + second + ":1")) {
        check_all(run, GetParam() + ", then " + second);
        EXPECT_EQ(arena_.leftovers(), "") << GetParam() << ", then " << second;
      }
      if (HasFailure()) return;
      start_afresh();
    }
  }
}

// A process dies between any two steps of appending a statement that came at run time, while its other threads append
// theirs; another process that logs into the same file does not notice (ring.md §3).
TEST(KillPoints, StatementsThatComeAtRunTime) {
  for (const char* at : {"staging.dictionary_written", "staging.dictionary_published"}) {
    for (const int visit : {20, 45}) {  // those before are of start and loggers
      const std::string orders = std::string("STENO_KILL_AT=") + at + ":" + std::to_string(visit);
      Arena arena;
      const Settings settings = {{"threads", 3}, {"count", 2000}, {"new_formats", 1}, {"flush_us", 700}};
      Process other = arena.start_checker(STENO_KILLABLE_CHECKER, 1, settings);
      Process dies = arena.start_checker(STENO_KILLABLE_CHECKER, 2, settings, {orders});
      const pid_t dead = dies.pid();
      const End end = dies.wait();
      ASSERT_TRUE(end.killed()) << orders << ": " << end.text();
      ASSERT_TRUE(other.wait().ok()) << orders;
      Ledger printed;
      EXPECT_EQ(arena.cat_log(&printed).value_or(""), "") << orders;
      EXPECT_TRUE(arena.start_steno({"recover", arena.log()}, "recover").wait().ok()) << orders;
      Ledger recovered;
      EXPECT_EQ(arena.read_log(&recovered).value_or(""), "") << orders;
      for (Ledger* ledger : {&printed, &recovered}) {
        ledger->check(1, SharedCounts(arena.counts_path(1)).read(), true);
        ledger->check(2, SharedCounts(arena.counts_path(2)).read());
        EXPECT_EQ(ledger->problems(), "") << orders;
        EXPECT_EQ(ledger->deaths(), 1u) << orders;
        EXPECT_EQ(ledger->deaths(dead), 1u) << orders;
      }
      EXPECT_EQ(arena.leftovers(), "") << orders;
    }
  }
}

// Records that no file was ever named for are lost when their process ends; it may die while it removes them.
TEST(KillPoints, WhatNobodyWantsIsRemoved) {
  Arena arena;
  const End end = arena
                      .start({STENO_KILLABLE_CHECKER, "/proc/missing/app.steno", arena.counts_path(1), "run=1",
                              "threads=3", "count=100", "early=1"},
                             "checker", {"STENO_KILL_AT=staging.file_removed:1"})
                      .wait();
  EXPECT_TRUE(end.killed()) << end.text();
  EXPECT_EQ(arena.stagings().size(), 1u);
  EXPECT_TRUE(arena.start_steno({"recover", arena.log()}, "recover").wait().ok());
  EXPECT_TRUE(arena.stagings().empty());
}

// Checks the times of a process that died at the beginning of a session: when its sessions began, and when its records
// were logged. Returns the number of records.
std::size_t check_times(Arena& arena, const std::string& story, std::int64_t begin) {
  EXPECT_TRUE(arena.start_steno({"recover", arena.log()}, "recover").wait().ok()) << story;
  auto log = LogReader::open(arena.written_files());
  EXPECT_TRUE(log.ok()) << story << log.status().message();
  if (!log.ok()) return 0;
  const std::int64_t end = wall_now();
  std::set<std::int64_t> starts;
  for (const SessionFacts& session : log->sessions()) {
    EXPECT_TRUE(session.start_ns >= begin && session.start_ns <= end) << story;
    EXPECT_TRUE(starts.insert(session.start_ns).second) << story << ": two began at one moment";
  }
  std::size_t records = 0;
  std::size_t misdated = 0;
  log->for_each([&](const Record& record) {
    ++records;
    misdated += record.time_ns() < begin || record.time_ns() > end ? 1 : 0;
  });
  EXPECT_EQ(misdated, 0u) << story;
  return records;
}

// Wherever a session dies while it begins, it is dated: it has clock points, and says when it began.
TEST(KillPoints, TimesAreRightWhereASessionBegins) {
  std::size_t records = 0;  // that were logged before it, or between two; not each time
  for (const Clock clock : {Clock::kBest, Clock::kWall}) {
    for (const char* at : {"core.path_set:1", "core.session_runs:1", "scribe.file_open:1", "core.session_named:2",
                           "core.path_set:2", "core.session_runs:2", "scribe.file_open:2", "core.session_renewed:1"}) {
      const bool renewed = std::string_view(at).starts_with("core.session_renewed");
      Arena arena;
      const std::int64_t begin = wall_now();
      const Settings settings = {{"threads", 2}, {"early", 1},
                                 {"pace", 20},   {"clock", static_cast<std::uint64_t>(clock)},
                                 {"ms", 20000},  {renewed ? "rotate_us" : "restart_us", renewed ? 100000 : 2500}};
      const std::string orders = std::string("STENO_KILL_AT=") + at;
      ASSERT_TRUE(arena.start_checker(STENO_KILLABLE_CHECKER, 1, settings, {orders}).wait().killed()) << at;
      records += check_times(arena, at, begin);
    }
  }
  EXPECT_NE(records, 0u);
}

// The points of vacancies and of packed sessions have tests of their own (vacancy_test.cc, packing_test.cc): they take
// a scribe of another process.
std::vector<std::string> point_list() {
  std::set<std::string> points = all_points();
  std::erase_if(points,
                [](const std::string& point) { return point.starts_with("vacancy.") || point.starts_with("packed."); });
  return {points.begin(), points.end()};
}

INSTANTIATE_TEST_SUITE_P(, KillPoint, ::testing::ValuesIn(point_list()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(KillPoints, AreInTheSources) {
  EXPECT_GE(all_points().size(), 20u);
}

}  // namespace
}  // namespace steno::crash
