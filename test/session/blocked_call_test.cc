// Log calls that wait for room, interrupted by signal handlers that log.
#include <dirent.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "../sanitizers.h"
#include "log_test.h"
#include "ring/ring_access.h"
#include "runtime/core.h"

namespace steno_test {
namespace {

std::atomic<bool> stalled{false};
sem_t go_on;
void stall(int) {
  stalled = true;
  while (sem_wait(&go_on) != 0) {
  }
}

steno::Logger handlers_logger;
std::atomic<int> begun{0};
std::atomic<int> returned{0};
void log_error(int) {
  const int error = errno;
  const int number = begun++;
  STENO_LOG_TO(handlers_logger, ERROR, "handler {}", number);
  ++returned;
  errno = error;
}

std::set<pid_t> scribes() {
  std::set<pid_t> found;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) {
    std::string name;
    std::ifstream(std::string("/proc/self/task/") + entry->d_name + "/comm") >> name;
    if (name == "steno-scribe") found.insert(std::stoi(entry->d_name));
  }
  closedir(tasks);
  return found;
}

template <class Condition>
void wait_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return;  // which need not last
    usleep(500);
  }
  FAIL() << "in a minute";
}

// A session whose scribe stands still when told, and a thread that logs until its ring is full.
class BlockedCallTest : public LogTest {
 protected:
  static constexpr int kHandlers = 8;

  void interrupt_blocked_calls(steno::WhenFull errors) {
    const std::set<pid_t> others = scribes();
    auto session =
        steno::Session::open({.path = path(), .ring_bytes = 4096, .when_full_at = {{steno::Level::kError, errors}}});
    ASSERT_TRUE(session.ok()) << session.status().message();
    const steno::Logger logger = session->logger("");
    handlers_logger = logger;
    begun = returned = 0;
    pid_t scribe = 0;
    wait_until([&] {
      for (const pid_t tid : scribes()) scribe = others.contains(tid) ? scribe : tid;
      return scribe != 0;
    });
    sem_init(&go_on, 0, 0);
    signal(SIGTRAP, stall);  // not blocked in the scribe's thread
    signal(SIGUSR1, log_error);

    std::atomic<bool> end{false};
    std::uint64_t logged = 0;
    std::thread thread([&] {
      for (; !end; ++logged) STENO_LOG_TO(logger, INFO, "number {}", logged);
    });
    auto& core = *steno::runtime::core_at(logger.state()->slot);
    const auto blocked = [&core] {
      // Others are of threads before, whose rings tests of this process have left.
      for (std::uint32_t i = 0; i < core.rings().count(); ++i) {
        const steno::ring::RingHeader* header = core.rings().at(i).memory.header;
        if (!steno::ring::is_producer_waiting(header)) continue;
        const std::uint64_t tail = steno::ring::load_tail(header);
        usleep(2000);
        if (steno::ring::load_tail(header) == tail) return true;
      }
      return false;
    };
    for (int i = 0; i < kHandlers; ++i) {
      stalled = false;
      syscall(SYS_tgkill, getpid(), scribe, SIGTRAP);
      wait_until([] { return stalled.load(); });
      wait_until(blocked);
      pthread_kill(thread.native_handle(), SIGUSR1);
      wait_until([&] { return begun == i + 1; });
      if (errors == steno::WhenFull::kDrop) wait_until([&] { return returned == i + 1; });
      sem_post(&go_on);
      wait_until([&] { return returned == i + 1; });
    }
    end = true;
    thread.join();
    EXPECT_TRUE(session->stop().ok());
    signal(SIGTRAP, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);

    const Log log = read_log(path());
    std::uint64_t numbers = 0;
    for (const Row& row : log.rows) {
      numbers += row.message == "number " + std::to_string(numbers);
      handled_ += row.message.starts_with("handler ");
      if (row.message.find(" records dropped here:") != std::string::npos) dropped_ += std::stoi(row.message);
    }
    EXPECT_EQ(numbers, logged) << "in order, none missing";
  }

  int handled_ = 0;
  int dropped_ = 0;
};

TEST_F(BlockedCallTest, AHandlerThatInterruptsOneWaitsAsItsLevelSays) {
  if (steno::test::kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer delays signals";
  interrupt_blocked_calls(steno::WhenFull::kBlock);
  EXPECT_EQ(handled_, kHandlers);
  EXPECT_EQ(dropped_, 0);
}

TEST_F(BlockedCallTest, AHandlerThatInterruptsOneDropsAsItsLevelSays) {
  if (steno::test::kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer delays signals";
  interrupt_blocked_calls(steno::WhenFull::kDrop);
  EXPECT_EQ(handled_ + dropped_, kHandlers);
}

}  // namespace
}  // namespace steno_test
