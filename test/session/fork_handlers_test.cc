// Forks beside other libraries' handlers, children without handlers, and allocators that log. Programs of their own,
// which would hang where something is wrong.
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "log_test.h"
#include "reader/log_set.h"
#include "reader/losses.h"

namespace steno_test {
namespace {

constexpr bool kSanitized = steno::test::kThreadSanitizer || steno::test::kAddressSanitizer;

class ForkHandlersTest : public LogTest {
 protected:
  // Runs a program and counts each message in its log. Returns whether it ended in order.
  bool run(const std::string& program, const std::string& environment = "") {
    std::filesystem::remove(path());
    std::filesystem::remove_all(directory_ + "/staging");
    std::filesystem::create_directory(directory_ + "/staging");
    std::filesystem::permissions(directory_ + "/staging", std::filesystem::perms::owner_all);
    const std::string command =
        "env STENO_STAGING=" + directory_ + "/staging " + environment + " timeout -s KILL 60 " + program;
    const int status = std::system(command.c_str());
    times_.clear();
    if (status != 0) return false;
    for (const Row& row : read_log(path()).rows) ++times_[row.message];
    return true;
  }

  void expect(const std::string& prefix, int from, int to, int times = 1) {
    for (int i = from; i < to; ++i) {
      const std::string message = prefix + std::to_string(i);
      ASSERT_EQ(times_[message], times) << message;
    }
  }

  steno::reader::LossReport losses() {
    steno::reader::LogSet logs;
    EXPECT_TRUE(logs.add(path()).ok());
    return steno::reader::find_losses(*logs.files()[0], {.content = true});
  }

  // Checks that each record of a process of `descents` is there, once, or counted.
  void expect_all_of_descents(const std::string& arguments) {
    const std::string said = directory_ + "/expected";
    ASSERT_TRUE(run(STENO_DESCENTS " " + path() + " " + arguments + " >" + said));
    std::ifstream lines(said);
    std::string line;
    std::uint64_t discarded = 0;
    std::uint64_t interrupted = 0;
    while (std::getline(lines, line)) {
      const std::string what = line.substr(0, line.rfind(' '));
      const int count = std::stoi(line.substr(line.rfind(' ') + 1));
      if (what == "discarded") {
        discarded = static_cast<std::uint64_t>(count);
      } else if (what == "interrupted") {
        interrupted = static_cast<std::uint64_t>(count);
      } else {
        for (int i = 0; i < count; ++i) {
          const std::string message = what + " " + std::to_string(i);
          ASSERT_GE(times_[message], 1) << message;
          ASSERT_LE(times_[message], what.starts_with("0") && !what.starts_with("0.") ? 2 : 1) << message;
          if (times_[message] > 1) --interrupted;
        }
        EXPECT_EQ(times_.count(what + " " + std::to_string(count)), 0u) << what;
      }
    }
    for (const auto& [message, times] : times_) ASSERT_FALSE(message.starts_with("raw child")) << message;
    std::uint64_t lost = 0;
    const auto report = losses();
    for (const auto& loss : report.losses) {
      ASSERT_EQ(loss.cause, steno::reader::LossCause::kDiscarded);
      lost += loss.records;
    }
    EXPECT_GE(lost, discarded);
    EXPECT_LE(lost, discarded + interrupted);
    EXPECT_EQ(report.repeated, 0u);
  }

  std::map<std::string, int> times_;
};

// The handlers run within steno's own.
TEST_F(ForkHandlersTest, MayLogAndCallAll) {
  if (kSanitized) GTEST_SKIP() << "sanitizers hang in the child of a process with threads, or start none there";
  const std::map<std::string, int> lines = {{"lines", 100}, {"burst", 50'000}, {"flush", 1},  {"logger", 1},
                                            {"levels", 1},  {"formats", 1},    {"nested", 10}};
  for (const auto& [mode, count] : lines) {
    SCOPED_TRACE(mode);
    ASSERT_TRUE(run(STENO_FORK_HANDLERS " " + mode, "STENO_PATH=" + path()));
    EXPECT_EQ(times_["begins"], 1);
    expect("thread ", 0, 20'000);
    const bool only_before = mode == "burst" || mode == "nested";
    for (const std::string where : {"before", "parent", "child", "nested"}) {
      if (where == "nested" ? mode != "nested" : only_before && where != "before") continue;
      for (int fork = 0; fork < 10; ++fork) expect(where + " " + std::to_string(fork) + " ", 0, count);
    }
    const auto report = losses();
    EXPECT_TRUE(report.complete());
  }
}

// Records of children are counted in the parent's log, until they start a session; the parent's own records are whole.
TEST_F(ForkHandlersTest, ChildrenWithoutHandlersLeaveTheParentsRingsAlone) {
  if (kSanitized) GTEST_SKIP() << "sanitizers know of forks by their handlers";
  const std::map<std::string, std::uint64_t> extra = {{"exit", 0}, {"call", 2}, {"start", 0}};
  for (const auto& [mode, more] : extra) {
    SCOPED_TRACE(mode);
    ASSERT_TRUE(run(STENO_RAW_CHILDREN " " + path() + " " + mode));
    expect("thread ", 0, 20'000);
    int number = 0;
    for (; number < 4000; ++number) {
      ASSERT_EQ(times_["parent " + std::to_string(number) + " ANOTHER STRING TO FILL THE RING"], 1) << number;
    }
    for (int child = 0; child < 4; ++child)
      expect("started " + std::to_string(child) + " ", 0, mode == "start" ? 1000 : 0);
    EXPECT_EQ(times_[std::to_string(4 * 1000) +
                     " records discarded: a child process that was made without fork handlers, by clone() or _Fork(), "
                     "logged before it called start()"],
              more == 0 ? 1 : 0);
    const auto report = losses();
    EXPECT_EQ(report.sessions, mode == "start" ? 5u : 1u);
    for (const auto& [message, times] : times_) EXPECT_FALSE(message.starts_with("child ")) << message;
  }
}

// Children of every kind at random, while threads log.
TEST_F(ForkHandlersTest, AnyDescentIsComplete) {
  if (kSanitized) GTEST_SKIP() << "sanitizers hang in the child of a process with threads, or start none there";
  const int seeds = std::getenv("STENO_ALL_CASES") != nullptr ? 40 : 3;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_all_of_descents(std::to_string(seed)));
  }
}

// Signal handlers fork where they find a call on its long way, which goes on in the child without the parent's session.
TEST_F(ForkHandlersTest, CallsGoOnInChildrenOfSignalHandlers) {
  if (kSanitized) GTEST_SKIP() << "sanitizers hang in the child of a process with threads, or start none there";
  expect_all_of_descents("1 handlers");
}

#if defined(STENO_ALLOCATIONS_LOG)
// Each call ends, and all that the program logs is there; of the allocator's records some are counted.
TEST_F(ForkHandlersTest, AllocatorsMayLog) {
  for (const std::string how : {"", " drop"}) {
    ASSERT_TRUE(run(STENO_ALLOCATIONS_LOG " " + path() + how));
    expect("use ", 0, 11);
    EXPECT_GT(times_["free 1"], 0);
  }
}
#endif

}  // namespace
}  // namespace steno_test
