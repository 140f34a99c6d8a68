// Children that die of faults, and what their log says of it.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "../sanitizers.h"
#include "log_test.h"

namespace steno_test {

inline int* volatile nowhere = reinterpret_cast<int*>(0x10);
inline volatile int zero = 0;
inline volatile int seven = 7;

__attribute__((noinline)) inline void write_nowhere() {
  *nowhere = 1;
}
// A processor of ARM divides by zero without a fault.
__attribute__((noinline)) inline void divide_by_zero() {
#if defined(__x86_64__)
  zero = seven / zero;
#else
  ::raise(SIGFPE);
#endif
}
// The instruction that a debugger sets as a breakpoint.
__attribute__((noinline)) inline void meet_breakpoint() {
#if defined(__x86_64__)
  asm volatile("int3");
#elif defined(__aarch64__)
  asm volatile("brk #0");
#else
  ::raise(SIGTRAP);
#endif
  zero = 0;  // so that the next instruction is of this function
}
class CrashRecordTest : public LogTest {
 protected:
  void SetUp() override {
    if (steno::test::kAddressSanitizer || steno::test::kThreadSanitizer)
      GTEST_SKIP() << "sanitizers have handlers and stacks of their own";
  }

  steno::Options with_crash_record() const {
    steno::Options options;
    options.path = log_path();
    options.crash_record = true;
    return options;
  }
  // The log of the run that comes, or was: each has one of its own, so that nothing of another is met.
  std::string log_path() const { return path("log" + std::to_string(runs_) + ".steno"); }

  // Runs `what` in a child with a session, and returns how that ended.
  int run(const std::function<void()>& what, const steno::Options& options) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit none = {0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      if (!steno::try_start(options).ok()) std::_Exit(101);
      STENO_INFO("begun");
      what();
      std::_Exit(102);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    log_ = read_log(log_path());
    EXPECT_EQ(log_.losses, std::vector<std::string>());
    return status;
  }
  int run(const std::function<void()>& what) {
    ++runs_;
    return run(what, with_crash_record());
  }

  std::vector<std::string> messages_with(const std::string& begin) const {
    std::vector<std::string> found;
    for (const Row& row : log_.rows) {
      if (row.message.rfind(begin, 0) == 0) found.push_back(row.message);
    }
    return found;
  }
  // The record of the only crash, without where.
  std::string crash() const {
    const auto found = messages_with("crash: ");
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? "" : found[0].substr(0, found[0].rfind(", in "));
  }
  std::vector<std::string> frames() const { return messages_with("crash frame "); }

  void expect_death(const std::function<void()>& what, int signal, const std::string& said) {
    const int status = run(what);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(crash(), said);
    EXPECT_FALSE(frames().empty());
  }

  Log log_;
  int runs_ = 0;
};

}  // namespace steno_test
