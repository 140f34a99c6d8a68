// <steno/glog.h>: what programs written for glog log with it.
#include <steno/glog.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "log_test.h"

namespace steno_test {
namespace {

using Texts = std::vector<std::string>;

int times_called = 0;
int called() {
  return ++times_called;
}

class GlogTest : public LogTest {
 protected:
  GlogTest() { times_called = 0; }
  ~GlogTest() override {
    FLAGS_v = 0;
    FLAGS_minloglevel = google::INFO;
  }

  // Returns each record's level and message.
  Texts finish_texts() {
    Texts texts;
    for (const Row& row : finish().rows) texts.push_back(std::string(steno::level_name(row.level)) + " " + row.message);
    return texts;
  }

  // Runs `what` in a child with a session, which must abort, and returns the last message.
  template <class What>
  std::string fatal(const What& what) {
    const std::string log = path("fatal" + std::to_string(runs_++) + ".steno");
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(STDERR_FILENO);
      const rlimit none = {0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      if (!steno::try_start({.path = log, .scribe_thread = false}).ok()) std::_Exit(1);
      what();
      std::_Exit(2);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
    std::string last;
    for (const Row& row : read_log(log).rows) {
      if (row.level == steno::Level::kCritical) last = row.message;
    }
    return last;
  }

  int runs_ = 0;
};

TEST_F(GlogTest, MessagesAreOfTheirPlaceAndSeverity) {
  start();
  LOG(INFO) << "took " << 12.5 << " ms";
  LOG(WARNING) << "low on " << std::string("memory") << '!';
  LOG(ERROR) << std::hex << 255;
  RAW_LOG(INFO, "raw %d", 5);
  errno = ENOENT;
  PLOG(ERROR) << "cannot open";
  EXPECT_EQ(errno, ENOENT);
  const int line = __LINE__ + 1;
  LOG(INFO) << "here";
  const Log log = finish();
  Texts texts;
  for (const Row& row : log.rows) texts.push_back(std::string(steno::level_name(row.level)) + " " + row.message);
  EXPECT_EQ(texts, (Texts{"INFO took 12.5 ms", "WARN low on memory!", "ERROR ff", "INFO raw 5",
                          "ERROR cannot open: No such file or directory [2]", "INFO here"}));
  EXPECT_EQ(log.rows.back().line, static_cast<unsigned>(line));
  EXPECT_EQ(log.rows.back().file.substr(log.rows.back().file.rfind('/') + 1), "glog_test.cc");
}

TEST_F(GlogTest, ConditionsAndFlags) {
  start();
  LOG_IF(INFO, true) << "yes";
  LOG_IF(INFO, false) << "no " << called();
  if (times_called == 0)
    LOG_IF(INFO, true) << "a branch";
  else
    LOG(INFO) << "another";
  VLOG(1) << "no " << called();
  FLAGS_v = 2;
  VLOG(2) << "verbose";
  VLOG(3) << "no " << called();
  EXPECT_TRUE(VLOG_IS_ON(2));
  FLAGS_minloglevel = google::WARNING;
  LOG(INFO) << "no";
  LOG(WARNING) << "a warning";
  EXPECT_EQ(times_called, 0);
  EXPECT_EQ(finish_texts(), (Texts{"INFO yes", "INFO a branch", "INFO verbose", "WARN a warning"}));
}

TEST_F(GlogTest, RulesAreAboutPlaces) {
  start();
  EXPECT_TRUE(steno::set_levels("glog_test.cc=warn").ok());
  LOG(INFO) << "no";
  LOG(WARNING) << "yes";
  EXPECT_TRUE(steno::set_levels("glog_test.cc=inherit").ok());
  LOG(INFO) << "again";
  EXPECT_EQ(finish_texts(), (Texts{"WARN yes", "INFO again"}));
}

TEST_F(GlogTest, SomeOfMany) {
  start();
  for (int i = 0; i < 7; ++i) {
    LOG_EVERY_N(INFO, 3) << "every third: " << google::COUNTER;
    LOG_FIRST_N(INFO, 2) << "first: " << google::COUNTER;
    LOG_IF_EVERY_N(INFO, i >= 5, 2) << "from five on: " << i;
    LOG_EVERY_T(INFO, 3600) << "hourly";
  }
  EXPECT_EQ(finish_texts(), (Texts{"INFO every third: 1", "INFO first: 1", "INFO hourly", "INFO first: 2",
                                   "INFO every third: 4", "INFO from five on: 5", "INFO every third: 7"}));
}

TEST_F(GlogTest, ChecksThatHoldDoNothing) {
  start();
  const std::unique_ptr<int> owned = std::make_unique<int>(5);
  CHECK(called() == 1) << "no " << called();
  CHECK_EQ(called(), 2) << called();
  CHECK_NE(1u, 2u);
  CHECK_LE(std::string("a"), "b");
  CHECK_LT(1.0, 2);
  CHECK_GE(static_cast<std::size_t>(3), 3u);
  CHECK_GT('b', 'a');
  CHECK_STREQ("a", std::string("a").c_str());
  CHECK_STRNE("a", nullptr);
  CHECK_STRCASEEQ("abc", "ABC");
  CHECK_NEAR(1.0, 1.05, 0.1);
  CHECK_DOUBLE_EQ(0.5, 0.5);
  PCHECK(true) << "no";
  DCHECK_EQ(1, 1) << "no";
  DLOG_IF(INFO, false) << "no";
  EXPECT_EQ(*CHECK_NOTNULL(owned.get()), 5);
  EXPECT_EQ(times_called, 2);
  EXPECT_EQ(finish_texts(), Texts());
}

TEST_F(GlogTest, ChecksThatDoNotHoldEndTheProcess) {
  const int used = 17;
  const int size = 16;
  EXPECT_EQ(fatal([&] {
              CHECK(used <= size) << "of "
                                  << "queue";
            }),
            "Check failed: used <= size of queue");
  EXPECT_EQ(fatal([&] { CHECK_EQ(used, size) << "of queue"; }), "Check failed: used == size (17 vs. 16) of queue");
  EXPECT_EQ(fatal([&] { CHECK_STREQ("a", nullptr); }), "CHECK_STREQ failed: \"a\" == nullptr (a vs. )");
  EXPECT_EQ(fatal([&] { CHECK_NOTNULL(static_cast<int*>(nullptr)); }), "'static_cast<int*>(nullptr)' Must be non NULL");
  EXPECT_EQ(fatal([&] { LOG(FATAL) << "no way on"; }), "no way on");
  EXPECT_EQ(fatal([&] {
              errno = EACCES;
              PCHECK(used < size) << "to write";
            }),
            "Check failed: used < size to write: Permission denied [13]");
}

// Messages before InitGoogleLogging() go to standard error, and those after it into the file.
TEST_F(GlogTest, BeginsAndEndsASession) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    google::ShutdownGoogleLogging();  // what tests before this one have begun in this process
    FLAGS_log_dir = path("");
    LOG(INFO) << "before";
    google::InitGoogleLogging("/usr/bin/server");
    LOG(INFO) << "in the file";
    LOG(ERROR) << "in both";
    google::FlushLogFiles(google::INFO);
    google::ShutdownGoogleLogging();
    std::_Exit(google::IsGoogleLoggingInitialized() ? 1 : 0);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[256];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(said.find("before"), std::string::npos) << said;
  EXPECT_EQ(said.find("in the file"), std::string::npos) << said;
  EXPECT_NE(said.find("in both"), std::string::npos) << said;
  Texts texts;
  for (const Row& row : read_log(path("server.steno")).rows) texts.push_back(row.message);
  EXPECT_EQ(texts, (Texts{"in the file", "in both"}));
}

}  // namespace
}  // namespace steno_test
