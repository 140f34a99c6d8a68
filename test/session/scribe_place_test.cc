// The priority of the scribe's thread, as the kernel has it.
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "log_test.h"

namespace steno_test {
namespace {

class ScribePlaceTest : public LogTest {
 protected:
  // Starts, and returns when the scribe's thread has its place.
  void start_placed(int nice) {
    steno::Options options;
    options.scribe_nice = nice;
    options.on_warning = [this](const std::string& text) {
      const std::scoped_lock lock(mutex_);
      warnings_.push_back(text);
    };
    start(options);
    EXPECT_TRUE(steno::flush().ok());  // by that thread
  }
  std::vector<std::string> warnings() {
    const std::scoped_lock lock(mutex_);
    return warnings_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> warnings_;  // guarded by mutex_
};

// Returns the nice value of a thread of this process, a folder of /proc/self/task: the field of its stat.
int nice_in(const std::filesystem::path& task) {
  std::ifstream file(task / "stat");
  std::string stat;
  std::getline(file, stat);
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));  // the name before may have spaces
  std::string field;
  for (int number = 3; number <= 18; ++number) fields >> field;
  int nice = 99;
  fields >> nice;
  return nice;
}

int nice_of_scribe() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name) && name == "steno-scribe") return nice_in(task.path());
  }
  ADD_FAILURE() << "no scribe";
  return 99;
}

// CAP_SYS_NICE, of the calling thread and those that it starts.
void give_up_privilege() {
  __user_cap_header_struct header{};
  header.version = _LINUX_CAPABILITY_VERSION_3;
  __user_cap_data_struct sets[2]{};
  ASSERT_EQ(syscall(SYS_capget, &header, sets), 0);
  sets[0].effective &= ~(1u << CAP_SYS_NICE);
  ASSERT_EQ(syscall(SYS_capset, &header, sets), 0);
}

TEST_F(ScribePlaceTest, NiceIsAddedToThatOfTheStartingThread) {
  const int own = nice_in("/proc/self/task/" + std::to_string(gettid()));
  EXPECT_EQ(own, getpriority(PRIO_PROCESS, 0));
  start_placed(0);
  EXPECT_EQ(nice_of_scribe(), own);
  steno::stop();
  start_placed(3);
  EXPECT_EQ(nice_of_scribe(), std::min(own + 3, 19));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own) << "of this thread";
  steno::stop();
  start_placed(19);
  EXPECT_EQ(nice_of_scribe(), std::min(own + 19, 19));
  STENO_INFO("written");
  EXPECT_EQ(finish().rows.size(), 1u);
  EXPECT_EQ(warnings(), std::vector<std::string>());
}

TEST_F(ScribePlaceTest, WhatIsRefusedIsOneWarning) {
  const int own = getpriority(PRIO_PROCESS, 0);
  if (own == -20) GTEST_SKIP() << "runs at the highest priority already";
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NICE, &limit), 0);
  const rlimit none = {0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NICE, &none), 0);
  std::thread([this] {
    give_up_privilege();
    start_placed(-1);
  }).join();
  EXPECT_EQ(setrlimit(RLIMIT_NICE, &limit), 0);
  EXPECT_EQ(warnings(), std::vector<std::string>{"cannot give the scribe the nice value " + std::to_string(own - 1) +
                                                 ": Permission denied"});
  EXPECT_EQ(nice_of_scribe(), own);
  STENO_INFO("written");
  EXPECT_EQ(finish().rows.size(), 1u);
}

TEST_F(ScribePlaceTest, NiceHasBounds) {
  for (const int nice : {-21, 20}) {
    steno::Options options;
    options.path = path();
    options.scribe_nice = nice;
    const steno::Status status = steno::try_start(options);
    EXPECT_EQ(status.message(), "scribe_nice is " + std::to_string(nice) + "; it must be -20 to 19");
  }
}

}  // namespace
}  // namespace steno_test
