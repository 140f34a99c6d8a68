// Several copies of steno in one process that log into one file: plugins that link it, each loaded for itself.
#include <sys/wait.h>

#include <cstdlib>
#include <map>

#include "log_test.h"
#include "reader/log_set.h"
#include "reader/losses.h"

namespace steno_test {
namespace {

// See copies.cc.
constexpr bool kForks = !steno::test::kThreadSanitizer && !steno::test::kAddressSanitizer;

class CopiesTest : public LogTest {
 protected:
  void run(const std::string& how, const std::string& plugins) {
    const std::string command = "env STENO_STAGING=" + directory_ + " timeout -s KILL 60 " STENO_COPIES " " + path() +
                                " " + how + " " + plugins;
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
  }

  // All of each copy is in the file, once, and nothing of it is doubted. The child of the process has a session for
  // each.
  void expect_all(bool stopped, char last = 'b') {
    std::map<std::string, int> times;
    for (const Row& row : read_log(path()).rows) ++times[row.message];
    std::uint64_t logged = 0;
    for (char name = 'a'; name <= last; ++name) {
      const std::string copy(1, name);
      EXPECT_EQ(times["child of " + copy + " 1"], kForks ? 1 : 0);
      logged += kForks ? 1 : 0;
      const int later = stopped ? last - name : 0;  // records of one number
      const int records = 2000 + (later != 0 ? 1 : 0);
      for (int i = 0; i < records; ++i) {
        const int count = i == 2000 ? later : 1;
        EXPECT_EQ(times[copy + " " + std::to_string(i)], count) << copy << " " << i;
        logged += static_cast<std::uint64_t>(count);
        if (i % 10 != 0) continue;
        EXPECT_EQ(times["every tenth of " + copy + ": " + std::to_string(i)], count) << copy << " " << i;
        logged += static_cast<std::uint64_t>(count);
      }
    }
    steno::reader::LogSet logs;
    ASSERT_TRUE(logs.add(path()).ok());
    const auto report = steno::reader::find_losses(*logs.files()[0], {.content = true});
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.records, logged);
    EXPECT_EQ(report.sessions, (kForks ? 2u : 1u) * static_cast<unsigned>(last - 'a' + 1));
    EXPECT_EQ(report.repeated, 0u);
  }
};

TEST_F(CopiesTest, InPluginsLogIntoOneFile) {
  for (const bool stopped : {true, false}) {
    run(stopped ? "stop" : "exit", STENO_COPY_A " " STENO_COPY_B);
    expect_all(stopped);
    std::filesystem::remove(path());
  }
}

TEST_F(CopiesTest, InPluginsThatBindWithinThemselvesLogIntoOneFile) {
  for (const bool stopped : {true, false}) {
    run(stopped ? "stop" : "exit", STENO_BOUND_COPY_A " " STENO_BOUND_COPY_B);
    expect_all(stopped);
    std::filesystem::remove(path());
  }
}

// Each takes little of the room that the C library has for thread-local words of libraries that are loaded late.
TEST_F(CopiesTest, InTwelvePluginsLogIntoOneFile) {
  std::string plugins;
  for (char name = 'a'; name <= 'l'; ++name) {
    const std::string plugin = directory_ + "/" + name + ".so";
    std::filesystem::copy_file(STENO_COPY_A, plugin);
    plugins += plugin + " ";
  }
  run("exit", plugins);
  expect_all(false, 'l');
}

// A plugin's first call of a function goes to its own copy too, whatever has been loaded since.
TEST_F(CopiesTest, StayThemselvesWhenAnotherIsLoadedForAll) {
  run("late", STENO_COPY_A " " STENO_COPY_B);
  expect_all(true);
}

// A program and its libraries with a copy each, where one copy serves all of them. Forks end, processes end, and each
// process is a session that has all of its records.
TEST_F(CopiesTest, InLinkedLibrariesAreOne) {
  if (!kForks) GTEST_SKIP() << "sanitizers hang in the child of a process with threads, or start none there";
  for (const std::string order : {"two_libraries", "program_first", "library_first"}) {
    SCOPED_TRACE(order);
    constexpr int kChildren = 4;
    const std::string command = "env STENO_STAGING=" + directory_ + " STENO_PATH=" + path() +
                                " timeout -s KILL 60 " STENO_LINKED_COPIES + order + " " + std::to_string(kChildren);
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    std::map<std::string, int> times;
    for (const Row& row : read_log(path()).rows) ++times[row.message];
    const std::string other = order == "two_libraries" ? "beta" : "program";
    for (const std::string& copy : {std::string("alpha"), other}) {
      for (int process = 0; process <= kChildren; ++process) {
        const int records = 500 * (process == 0 ? 1 + 2 * kChildren : 2);
        for (int i = 0; i < records; ++i) {
          const std::string message = copy + " " + std::to_string(process) + " " + std::to_string(i);
          ASSERT_EQ(times[message], 1) << message;
        }
      }
    }
    EXPECT_EQ(times["alpha last"], 1 + kChildren);
    steno::reader::LogSet logs;
    ASSERT_TRUE(logs.add(path()).ok());
    EXPECT_TRUE(steno::reader::find_losses(*logs.files()[0], {.content = true}).complete());
    std::filesystem::remove(path());
  }
}

}  // namespace
}  // namespace steno_test
