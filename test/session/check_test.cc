// STENO_CHECK: what is logged where a condition does not hold, and how the process ends.
#include <steno/check.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "log_test.h"

namespace steno_test {
namespace {

class CheckTest : public LogTest {
 protected:
  // Runs `what` in a child with a session, which must abort. Its own record, which is its last; stderr into `said_`.
  template <class What>
  std::string failed(const What& what) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDERR_FILENO);
      if (!steno::try_start({.path = path(), .scribe_thread = false}).ok()) std::_Exit(1);
      what();
      std::_Exit(2);
    }
    ::close(ends[1]);
    said_.clear();
    char buffer[256];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) said_.append(buffer, static_cast<size_t>(n));
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status << said_;
    const Log log = read_log(path());
    std::string last;
    for (const Row& row : log.rows) {
      if (row.level != steno::Level::kCritical) continue;
      last = row.message;
      line_ = row.line;
    }
    return last;
  }

  std::string said_;
  std::uint32_t line_ = 0;
};

TEST_F(CheckTest, SaysWhatDoesNotHold) {
  const int used = 17;
  const int size = 16;
  const std::string alone = failed([&] { STENO_CHECK(used <= size); });
  EXPECT_EQ(alone, "check failed: used <= size");
  EXPECT_GT(line_, 50u);
  EXPECT_EQ(said_.substr(said_.rfind('/') + 1),
            "check_test.cc:" + std::to_string(line_) + ": check failed: used <= size\n");
  EXPECT_EQ(
      failed([&] { STENO_CHECK(used <= size, "{used} of {size} bytes in {name}", used, size, std::string("queue")); }),
      "check failed: used <= size: 17 of 16 bytes in queue");
  EXPECT_EQ(failed([&] { STENO_CHECK(used <= size, "100 % of {{}}"); }), "check failed: used <= size: 100 % of {}");
  EXPECT_EQ(failed([&] { STENO_CHECKF(used <= size, "%d of %d, %d %%", used, size, 106); }),
            "check failed: used <= size: 17 of 16, 106 %");
  EXPECT_EQ(failed([&] { STENO_CHECKF(used <= size, "100 %%"); }), "check failed: used <= size: 100 %");
  EXPECT_EQ(failed([&] { STENO_CHECKF(used <= size); }), "check failed: used <= size");
}

TEST_F(CheckTest, ConditionsStandAsWritten) {
  const std::string name = "n";
  const std::string macro = failed([&] {
    errno = EINVAL;
    STENO_CHECK(errno != EINVAL, "{}", 1);
  });
  EXPECT_EQ(macro, "check failed: errno != EINVAL: 1");
  const std::string quotes =
      failed([&] { STENO_CHECK(name == std::string("a,\")", 3) || name[0] == ',' || name[0] == '\'', "{}", 2); });
  EXPECT_EQ(quotes, R"x(check failed: name == std::string("a,\")", 3) || name[0] == ',' || name[0] == '\'': 2)x");
  const std::string digits = failed([&] { STENO_CHECK(name.size() == 1'000, "{}", "3, 4"); });
  EXPECT_EQ(digits, "check failed: name.size() == 1'000: 3, 4");
}

TEST_F(CheckTest, AbortsWhereItsLevelIsOff) {
  EXPECT_EQ(failed([] {
              EXPECT_TRUE(steno::set_levels("off").ok());
              STENO_CHECK(false);
            }),
            "");
  EXPECT_NE(said_.find("check failed: false"), std::string::npos) << said_;
}

TEST_F(CheckTest, EvaluatesTheConditionOnceAndArgumentsNotAtAll) {
  start();
  int conditions = 0;
  int arguments = 0;
  if (conditions == 0)
    STENO_CHECK(++conditions == 1, "{}", ++arguments);
  else
    STENO_CHECK(false);
  STENO_CHECKF(++conditions == 2, "%d", ++arguments);
  EXPECT_EQ(conditions, 2);
  EXPECT_EQ(arguments, 0);
  STENO_DCHECK(++conditions == 3, "{}", 1);
  STENO_DCHECKF(conditions > 0);
#ifdef NDEBUG
  EXPECT_EQ(conditions, 2);
#else
  EXPECT_EQ(conditions, 3);
#endif
  EXPECT_TRUE(finish().rows.empty());
}

}  // namespace
}  // namespace steno_test
