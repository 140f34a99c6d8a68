// Several copies of steno in one process that log into one file: plugins that link it, each loaded for itself.
#include <sys/wait.h>

#include <cstdlib>
#include <map>

#include "log_test.h"
#include "reader/log_set.h"
#include "reader/losses.h"

namespace steno_test {
namespace {

class CopiesTest : public LogTest {
 protected:
  void run(const std::string& how, const std::string& plugins) {
    const std::string command =
        "env STENO_STAGING=" + directory_ + " " STENO_COPIES " " + path() + " " + how + " " + plugins;
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
  }

  // All of both is in the file, once, and nothing of it is doubted.
  void expect_all(bool stopped) {
    std::map<std::string, int> times;
    for (const Row& row : read_log(path()).rows) ++times[row.message];
    std::uint64_t logged = 0;
    for (const std::string copy : {"a", "b"}) {
      const int records = stopped && copy == "a" ? 2001 : 2000;
      for (int i = 0; i < records; ++i) {
        EXPECT_EQ(times[copy + " " + std::to_string(i)], 1) << copy << " " << i;
        ++logged;
        if (i % 10 != 0) continue;
        EXPECT_EQ(times["every tenth of " + copy + ": " + std::to_string(i)], 1) << copy << " " << i;
        ++logged;
      }
    }
    steno::reader::LogSet logs;
    ASSERT_TRUE(logs.add(path()).ok());
    const auto report = steno::reader::find_losses(*logs.files()[0], {.content = true});
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.records, logged);
    EXPECT_EQ(report.sessions, 2u);
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

}  // namespace
}  // namespace steno_test
