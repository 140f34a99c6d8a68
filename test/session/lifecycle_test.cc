// The edges of a process's life, each in a process of its own (programs/lifecycle.cc).
#include <sys/mount.h>
#include <sys/wait.h>

#include <algorithm>
#include <map>

#include "../sanitizers.h"
#include "log_test.h"

namespace steno_test {
namespace {

class LifecycleTest : public LogTest {
 protected:
  LifecycleTest() { steno::test::check_no_leaks_in_children(); }

  struct Outcome {
    int exit_code = -1;
    std::string output;  // stdout and stderr
  };

  Outcome run(const std::string& mode, const std::string& environment = "") {
    const std::string command = "env STENO_STAGING=" + directory_ + " " + environment + " " STENO_LIFECYCLE " " + mode +
                                " " + path() + " " STENO_PLUGIN " 2>&1";
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return outcome;
    char buffer[4096];
    while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) outcome.output.append(buffer, n);
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
  }

  // But for those that tell of the death of a process, of which so many are to be there.
  std::vector<std::string> messages(std::size_t deaths = 0) {
    std::vector<std::string> out;
    const Log log = read_log(path());
    for (const Row& row : log.rows) out.push_back(row.message);
    EXPECT_EQ(std::erase_if(out, is_death), deaths);
    EXPECT_TRUE(log.losses.empty()) << log.losses.front();
    return out;
  }

  static bool is_death(const std::string& message) {
    return message.starts_with("process ") && message.find(" died at about ") != std::string::npos &&
           message.ends_with(": everything that it logged is here");
  }
};

using Messages = std::vector<std::string>;

TEST_F(LifecycleTest, ConstructorsAndDestructorsAreInTheLog) {
  const Outcome outcome = run("edges");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(messages(), (Messages{"static constructor", "thread", "thread_local destructor 2", "main returns",
                                  "thread_local destructor 1", "static destructor"}));
}

TEST_F(LifecycleTest, WhatIsNeverWrittenIsSaidAtExit) {
  Outcome outcome = run("no-start");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("7 records were logged while no session ran"), std::string::npos) << outcome.output;
  outcome = run("after-stop");
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(messages(), (Messages{"static constructor", "on file", "too late"}));  // taken along by a last session
}

TEST_F(LifecycleTest, WhatIsDiscardedAfterTheLastSessionIsReported) {
  const Outcome outcome = run("discard-after-stop");
  EXPECT_EQ(outcome.exit_code, 0);
  const Log log = read_log(path());
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_TRUE(log.rows.back().message.starts_with("1 records discarded")) << log.rows.back().message;
}

TEST_F(LifecycleTest, TheEnvironmentStartsAndSetsTheLevel) {
  Outcome outcome = run("environment", "STENO_PATH=" + path() + " STENO_LEVEL=debug");
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(messages(), (Messages{"static constructor", "by STENO_PATH", "by STENO_LEVEL"}));
  outcome = run("edges", "STENO_PATH=/proc/nonexistent/x");
  EXPECT_NE(outcome.output.find("not logging: cannot make the directory /proc/nonexistent"), std::string::npos)
      << outcome.output;
}

TEST_F(LifecycleTest, TheEnvironmentsLevelMayBeSpeltAsElsewhere) {
  const std::map<std::string, Messages> levels = {
      {"Trace", {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"}},
      {"1", {"DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"}},
      {"warning", {"WARN", "ERROR", "CRITICAL"}},
      {"fatal", {"CRITICAL"}},
      {"none", {}},
      {"7", {}},
  };
  for (const auto& [level, logged] : levels) {
    const Outcome outcome = run("levels", "STENO_LEVEL=" + level);
    EXPECT_EQ(outcome.exit_code, 0) << level;
    EXPECT_EQ(outcome.output, "") << level;
    Messages expected = logged;
    expected.insert(expected.begin(), "static constructor");  // before the level was known
    EXPECT_EQ(messages(), expected) << level;
    std::filesystem::remove(path());
  }
}

TEST_F(LifecycleTest, TheEnvironmentHasRules) {
  Outcome outcome = run("levels", "'STENO_LEVEL=off,lifecycle.cc=error'");
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(messages(), (Messages{"static constructor", "ERROR", "CRITICAL"}));
  std::filesystem::remove(path());
  outcome = run("levels", "'STENO_LEVEL=WARN*=off,nothing=loud,fatal'");
  EXPECT_NE(outcome.output.find("rule 2, 'nothing=loud', has 'loud'"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("the level is CRITICAL"), std::string::npos) << outcome.output;
  EXPECT_EQ(messages(), (Messages{"static constructor", "CRITICAL"}));
}

TEST_F(LifecycleTest, ATypoInTheEnvironmentDoesNotCostTheLog) {
  for (const char* typo : {"loud", "8", "-1", "12", "warnings"}) {
    const Outcome outcome = run("levels", std::string("STENO_LEVEL=") + typo);
    EXPECT_EQ(outcome.exit_code, 0) << typo;
    EXPECT_NE(outcome.output.find(std::string("STENO_LEVEL is '") + typo + "'"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("the level is NOTICE"), std::string::npos) << outcome.output;
    EXPECT_EQ(messages(), (Messages{"static constructor", "NOTICE", "WARN", "ERROR", "CRITICAL"})) << typo;
    std::filesystem::remove(path());
  }
}

TEST_F(LifecycleTest, ASessionOfTheEnvironmentRecoversWhatTheLastOneLeft) {
  const std::string environment = "STENO_PATH=" + path();
  EXPECT_NE(run("killed", environment).exit_code, 0);
  const Outcome outcome = run("environment", environment);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(messages(1), (Messages{"static constructor", "last words", "static constructor", "by STENO_PATH"}));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) files += entry.is_regular_file();
  EXPECT_EQ(files, 1u) << "the log alone";
}

TEST_F(LifecycleTest, ExitWhileThreadsLog) {
  const Outcome outcome = run("exit-while-logging");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_GT(read_log(path()).rows.size(), 100u);
}

// This test is for ThreadSanitizer: threads get rings and give them back while the end looks who has one.
TEST_F(LifecycleTest, ExitWhileThreadsComeAndGo) {
  const Outcome outcome = run("exit-while-threads-come");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_FALSE(read_log(path()).rows.empty());
}

TEST_F(LifecycleTest, AForkedChildLogsIntoTheSameFile) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  const Outcome outcome = run("fork");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(messages(), (Messages{"static constructor", "parent before", "child", "parent after"}));
  EXPECT_EQ(read_log(path()).sessions, 2u);
}

TEST_F(LifecycleTest, AForkedChildLogsIntoItsParentsOtherSessions) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  for (const char* mode : {"fork-session", "fork-session-stop"}) {
    const Outcome outcome = run(mode);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("1 records were logged while no session ran"), std::string::npos)
        << "the static constructor's, which no session takes: " << outcome.output;
    const Log log = read_log(path());
    std::map<std::string, std::string> loggers;
    for (const Row& row : log.rows) loggers[row.message] = row.logger;
    EXPECT_EQ(loggers, (std::map<std::string, std::string>{{"parent before", ""},
                                                           {"child later", "made in the child"},
                                                           {"child named", "named"},
                                                           {"child thread", ""},
                                                           {"parent after", "named"}}))
        << mode;
    EXPECT_EQ(log.sessions, 2u);
    EXPECT_TRUE(log.losses.empty()) << log.losses.front();
    std::filesystem::remove(path());
  }
}

TEST_F(LifecycleTest, ADaemonLogsIntoASessionOpenedBefore) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  EXPECT_EQ(run("daemon").exit_code, 0);
  EXPECT_EQ(messages(1), (Messages{"parent before", "daemon"})) << "the parent leaves by _exit, its session under way";
}

TEST_F(LifecycleTest, LoggersOfAForkedChildKeepTheirNamesAndLevels) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  const Outcome outcome = run("fork-loggers");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const Log log = read_log(path());
  std::map<std::string, std::string> loggers;
  for (const Row& row : log.rows) loggers[row.message] = row.logger;
  EXPECT_EQ(loggers, (std::map<std::string, std::string>{{"static constructor", ""},
                                                         {"parent a", "a"},
                                                         {"child c", "c"},
                                                         {"child b", "b"},
                                                         {"child a", "a"},
                                                         {"child trace", ""}}));
}

TEST_F(LifecycleTest, ChildHandlersOfEarlierRegistrationDoNotLogIntoTheParentsRing) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  const Outcome outcome = run("child-handler");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(messages(), (Messages{"static constructor", "parent before", "child handler", "parent after"}));
  EXPECT_EQ(read_log(path()).sessions, 2u);
}

TEST_F(LifecycleTest, AForkedChildMayStopWhatItNeverUsed) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  const Outcome outcome = run("stop-in-child");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(messages(), (Messages{"static constructor", "stopped"}));
}

// Only start() recovers staging of the dead: log calls and the end of the process do not.
TEST_F(LifecycleTest, NeitherAFirstStatementNorTheExitRecoversWhatOthersLeft) {
  if (steno::test::kThreadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer cannot start threads in the child of a process that had several";
  const auto sessions_in_staging = [this] {
    std::size_t sessions = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_))
      sessions += entry.is_regular_file() && entry.path().filename() == "session";
    return sessions;
  };
  for (const char* mode : {"orphan-at-exit", "orphan-at-first"}) {
    const Outcome outcome = run(mode);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(sessions_in_staging(), 1u) << mode;
    EXPECT_EQ(messages(1).size(), 3u) << mode;
    EXPECT_EQ(run("after-stop").exit_code, 0);
    EXPECT_EQ(sessions_in_staging(), 0u) << "start() recovers it";
    EXPECT_EQ(messages(1).size(), 6u) << mode;
    std::filesystem::remove(path());
  }
}

TEST_F(LifecycleTest, LibrariesComeAndGo) {
  const Outcome outcome = run("plugin");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(messages(), (Messages{"static constructor", "plugin 0", "inline in plugin 0", "plugin 1",
                                  "inline in plugin 1", "plugin 2", "inline in plugin 2", "host"}));
  // A library's statements, loaded three times, are the same sites.
  auto reader = steno::LogReader::open({path()});
  ASSERT_TRUE(reader.ok());
  std::map<std::string, int> formats;
  for (const auto& site : reader->sites()) ++formats[std::string(site.format)];
  EXPECT_EQ(formats["plugin {}"], 1);
  EXPECT_EQ(formats["inline in plugin %d"], 1);
}

TEST_F(LifecycleTest, StagingFallsBackAndSaysSoOnce) {
  const Outcome outcome = run("edges", "STENO_STAGING=/nonexistent");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.output.find("/nonexistent"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("staging is in"), std::string::npos) << outcome.output;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  EXPECT_EQ(messages().size(), 6u);
}

TEST_F(LifecycleTest, FullStagingFallsBackToPrivateMemory) {
  const std::string small = path("small");
  std::filesystem::create_directory(small);
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=16k") != 0) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const Outcome outcome = run("edges", "STENO_STAGING=" + small);
  umount2(small.c_str(), MNT_DETACH);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("No space left"), std::string::npos) << outcome.output;
  EXPECT_EQ(messages().size(), 6u);
}

TEST_F(LifecycleTest, StagingIsRemovedAtExit) {
  const std::string staging = path("staging");
  std::filesystem::create_directory(staging);
  run("edges", "STENO_STAGING=" + staging);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(staging)) files += entry.is_regular_file();
  EXPECT_EQ(files, 0u);
  EXPECT_EQ(messages().size(), 6u);
}

}  // namespace
}  // namespace steno_test
