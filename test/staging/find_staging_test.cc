// Staging is found by the log that it belongs to, whatever else there is.
#include "staging/find_staging.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "live/recover.h"
#include "live/salvage.h"
#include "staging/directory.h"
#include "staging/own_staging.h"

namespace steno::live {
namespace {

namespace fs = std::filesystem;

class FindStagingTest : public ::testing::Test {
 protected:
  FindStagingTest() {
    char directory[] = "/tmp/steno-find-XXXXXX";
    char staging[] = "/dev/shm/steno-find-XXXXXX";
    directory_ = ::mkdtemp(directory);
    staging_ = ::mkdtemp(staging);
    ::setenv("STENO_STAGING", staging_.c_str(), 1);
  }
  ~FindStagingTest() override {
    ::unsetenv("STENO_STAGING");
    fs::remove_all(directory_);
    fs::remove_all(staging_);
  }

  static Options options_for(const std::string& path) {
    Options options;
    options.path = path;
    options.ring_bytes = 4096;
    options.flush_interval = std::chrono::hours(1);
    return options;
  }
  // A process that does this, and is killed.
  static void die_after(const std::function<void()>& what) {
    const pid_t child = ::fork();
    if (child == 0) {
      what();
      ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
  }
  static void leave_orphan(const std::string& path) {
    die_after([&path] {
      (void)start(options_for(path));
      STENO_INFO("left");
    });
  }
  static std::uint64_t waiting_for(const std::string& path) {
    std::vector<std::string> problems;
    std::uint64_t records = 0;
    for (const Salvage& salvage : salvage_for(path, {}, &problems)) records += salvage.records;
    return records;
  }
  std::string log(const std::string& name) const { return directory_ + "/" + name + ".steno"; }
  std::string user() const { return staging::user_directory(staging_); }
  // Returns how many directories of staging were opened since the last call.
  std::size_t opened() {
    if (inotify_ < 0) {
      inotify_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
      EXPECT_GE(::inotify_add_watch(inotify_, user().c_str(), IN_OPEN), 0);
    }
    alignas(inotify_event) char buffer[65536];
    const ssize_t n = ::read(inotify_, buffer, sizeof buffer);
    std::size_t events = 0;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      events += event->len != 0 && staging::is_staging_name(event->name);
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return events;
  }

  std::string directory_;
  std::string staging_;
  int inotify_ = -1;
};

TEST_F(FindStagingTest, StagingOfOtherLogsIsNotOpened) {
  for (int i = 0; i < 20; ++i) leave_orphan(log("other" + std::to_string(i)));
  ASSERT_GE(staging::find_staging(staging::Whose::kOwn).size(), 20u);
  (void)opened();
  EXPECT_EQ(waiting_for(log("mine")), 0u);
  EXPECT_EQ(opened(), 0u);
  std::vector<std::string> problems;
  EXPECT_TRUE(recover_for(log("mine"), Search::kMarked, {}, {}, &problems).empty());
  EXPECT_EQ(opened(), 0u);
  EXPECT_EQ(waiting_for(log("other7")), 1u);
  EXPECT_NE(opened(), 0u);  // else nothing was counted
}

TEST_F(FindStagingTest, HoweverThePathIsSpelt) {
  fs::create_directory(directory_ + "/real");
  fs::create_directory_symlink("real", directory_ + "/link");
  leave_orphan(directory_ + "/link/a.steno");
  fs::current_path(directory_ + "/real");
  for (const std::string& path : {directory_ + "/link/a.steno", directory_ + "/real/a.steno", std::string("a.steno"),
                                  std::string("./a.steno"), directory_ + "/link/../link//a.steno"}) {
    EXPECT_EQ(waiting_for(path), 1u) << path;
  }
  fs::remove("a.steno");  // nothing is there
  EXPECT_EQ(waiting_for("a.steno"), 1u);
  EXPECT_EQ(waiting_for(directory_ + "/real/a.steno"), 1u);
  fs::current_path("/");
}

TEST_F(FindStagingTest, RecordsLoggedBeforeTheSessionRan) {
  die_after([this] {
    STENO_INFO("early");
    (void)start(options_for(log("a")));
  });
  EXPECT_EQ(waiting_for(log("a")), 1u);
}

TEST_F(FindStagingTest, OneProcessWithSeveralLogs) {
  die_after([this] {
    auto a = Session::open(options_for(log("a")));
    auto b = Session::open(options_for(log("b")));
    STENO_LOG_TO(a->logger("x"), INFO, "for a");
    STENO_LOG_TO(b->logger("x"), INFO, "for b");
    STENO_LOG_TO(b->logger("x"), INFO, "for b");
    ::raise(SIGKILL);  // before they are stopped
  });
  EXPECT_EQ(waiting_for(log("a")), 1u);
  EXPECT_EQ(waiting_for(log("b")), 2u);
}

TEST_F(FindStagingTest, AnotherLogAfterTheFirst) {
  die_after([this] {
    (void)start(options_for(log("first")));
    STENO_INFO("on file");
    stop();
    (void)start(options_for(log("second")));
    STENO_INFO("left");
  });
  EXPECT_EQ(waiting_for(log("second")), 1u);
  (void)opened();
  EXPECT_EQ(waiting_for(log("first")), 0u);
  EXPECT_EQ(opened(), 0u);
}

// A start removes sessions without a log and without a record; nothing leads to a session that is gone.
TEST_F(FindStagingTest, NothingIsLeft) {
  die_after([] { prepare_thread(); });
  leave_orphan(log("a"));
  die_after([this] { ASSERT_TRUE(start(options_for(log("a")))); });
  EXPECT_EQ(std::distance(fs::directory_iterator(user()), {}), 2) << "the last one's, and what leads there";
  std::vector<std::string> problems;
  EXPECT_EQ(recover_for(log("a"), Search::kMarked, {}, {}, &problems).size(), 1u);
  EXPECT_TRUE(fs::is_empty(user()));
}

// The JVM has no flock (ring.md §1.5).
TEST_F(FindStagingTest, RecordLocksAndOursExcludeEachOther) {
  std::string warning;
  auto staging = staging::OwnStaging::create(staging_, "", &warning);
  ASSERT_TRUE(staging.ok()) << staging.status().message();
  const auto open_file = [&](const char* name) { return ::open((staging->path() + name).c_str(), O_RDWR | O_CLOEXEC); };
  const auto set_lock = [](int fd, short type) {
    struct flock record {};
    record.l_type = type;
    record.l_whence = SEEK_SET;
    return ::fcntl(fd, F_OFD_SETLK, &record) == 0;
  };
  const int session = open_file("/session");
  const int consumer = open_file("/consumer");
  ASSERT_TRUE(session >= 0 && consumer >= 0);
  EXPECT_FALSE(set_lock(session, F_RDLCK)) << "its owner lives";
  EXPECT_FALSE(set_lock(consumer, F_WRLCK));

  staging->give_consumer();
  EXPECT_TRUE(set_lock(consumer, F_WRLCK));
  EXPECT_TRUE(staging->is_drained());
  EXPECT_FALSE(staging->take_consumer(0));
  EXPECT_TRUE(set_lock(consumer, F_UNLCK));
  EXPECT_FALSE(staging->is_drained());
  EXPECT_TRUE(staging->take_consumer(0));
  EXPECT_FALSE(set_lock(consumer, F_RDLCK));
  ::close(session);
  ::close(consumer);
  staging->remove();
}

}  // namespace
}  // namespace steno::live
