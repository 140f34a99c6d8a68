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

  std::vector<std::string> messages() {
    std::vector<std::string> out;
    const Log log = read_log(path());
    for (const Row& row : log.rows) out.push_back(row.message);
    EXPECT_TRUE(log.losses.empty()) << log.losses.front();
    return out;
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

TEST_F(LifecycleTest, WhatIsDiscardedBehindTheLastSessionIsTold) {
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
  outcome = run("edges", "STENO_LEVEL=loud");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.output.find("STENO_LEVEL is 'loud'"), std::string::npos) << outcome.output;
  outcome = run("edges", "STENO_PATH=/nonexistent/x");
  EXPECT_NE(outcome.output.find("not logging: cannot open /nonexistent/x"), std::string::npos) << outcome.output;
}

TEST_F(LifecycleTest, ExitWhileThreadsLog) {
  const Outcome outcome = run("exit-while-logging");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_GT(read_log(path()).rows.size(), 100u);
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

TEST_F(LifecycleTest, LibrariesComeAndGo) {
  const Outcome outcome = run("plugin");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(messages(), (Messages{"static constructor", "plugin 0", "inline in plugin 0", "plugin 1",
                                  "inline in plugin 1", "plugin 2", "inline in plugin 2", "host"}));
  // The same statements, loaded three times, are the same sites.
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
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting a small tmpfs needs root";
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
