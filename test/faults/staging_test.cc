// Rings cannot be where they should: /dev/shm is missing, read-only, tiny, full, or out of inodes. Logging goes on, one
// warning states the consequence, and in an orderly run nothing is lost.
#include <dlfcn.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "../temp_directory.h"
#include "numbered.h"
#include "sandbox.h"
#include "steno/reader.h"

namespace steno_test {
namespace {

class StagingTest : public ::testing::Test {
 protected:
  StagingTest() {
    std::filesystem::create_directory(directory_ + "/tmp");
    setenv("TMPDIR", (directory_ + "/tmp").c_str(), 1);
  }
  ~StagingTest() override { unsetenv("TMPDIR"); }

  std::string path() const { return directory_ + "/log.steno"; }

  void start(std::size_t ring_bytes = 65536, bool scribe_thread = true) {
    steno::Options options;
    options.path = path();
    options.ring_bytes = ring_bytes;
    options.scribe_thread = scribe_thread;
    options.on_warning = warnings_.listener();
    const steno::Status status = steno::try_start(options);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // An orderly run of many threads, many times around their rings.
  void run(int threads = 4, std::uint64_t records = 5000) {
    Producers producers(threads);
    EXPECT_TRUE(producers.logs(records));
    producers.stop();
    EXPECT_TRUE(steno::flush().ok());
    steno::stop();
    expect_complete({path()}, producers.counts());
  }
  void expect_one_warning(const std::string& part) {
    EXPECT_EQ(warnings_.count(), 1u) << warnings_.text();
    EXPECT_EQ(warnings_.count(part), 1u) << warnings_.text();
  }

  const steno::test::TempDirectory made_;
  std::string directory_ = made_.path();
  Warnings warnings_;
};

TEST_F(StagingTest, Missing) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev", "size=1M");
    ASSERT_FALSE(std::filesystem::exists("/dev/shm"));
    start();
    run();
    expect_one_warning("staging is in " + directory_ + "/tmp/");
  });
}

TEST_F(StagingTest, ReadOnly) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=64M");
    make_read_only("/dev/shm");
    start();
    run();
    expect_one_warning("staging is in " + directory_ + "/tmp/");
  });
}

TEST_F(StagingTest, NoExecIsNoReasonToWarn) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=64M", MS_NOEXEC | MS_NOSUID | MS_NODEV);
    start();
    run();
    EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
  });
}

TEST_F(StagingTest, NowhereAtAll) {
  STENO_IN_SANDBOX({
    // The log's own directory is beneath what becomes read-only; this way leads there still.
    ASSERT_EQ(chdir(directory_.c_str()), 0);
    directory_ = "/proc/self/cwd";
    for (const char* place : {"/dev/shm", "/tmp"}) {
      mount_tmpfs(place, "size=64k");
      make_read_only(place);
    }
    setenv("TMPDIR", "/tmp", 1);
    start();
    run();
    expect_one_warning("will not survive a crash");
  });
}

TEST_F(StagingTest, FullFromTheStart) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=1M");
    EXPECT_GT(fill("/dev/shm/ballast"), 900'000u);
    start();
    run();
    expect_one_warning("staging is in " + directory_ + "/tmp/");
  });
}

// Room for the session, not for all of its rings.
TEST_F(StagingTest, TooSmallForAllRings) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=300k");
    start();
    run(16, 2000);
    EXPECT_EQ(warnings_.count("will not survive a crash"), 1u) << warnings_.text();  // beside one of rings' growth
  });
}

// Records in private memory died with the process, and are not reported to be there.
TEST_F(StagingTest, TooSmallForARingOfTheDead) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=24k");
    const pid_t child = fork();
    if (child == 0) {
      start();
      STENO_INFO("lost");
      raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
    start();
    steno::stop();
    auto log = steno::LogReader::open({path()});
    ASSERT_TRUE(log.ok()) << log.status().message();
    EXPECT_FALSE(log->losses().empty());
  });
}

// Rings stay as large as there is room for.
TEST_F(StagingTest, TooSmallForRingsToGrow) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=512k");
    start(std::size_t{1} << 20, false);
    Producers producers(1);
    EXPECT_TRUE(producers.logs(20000));  // nobody drains but they themselves, when there is no room
    (void)steno::poll();
    producers.stop();
    steno::stop();
    expect_complete({path()}, producers.counts());
    expect_one_warning("rings cannot grow");
  });
}

// Rings give up what is left neither to those that are to come nor to other programs.
TEST_F(StagingTest, RingsThatGrowLeaveRoomToOthers) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=8M");
    start(std::size_t{8} << 20, false);
    Producers producers(2);
    EXPECT_TRUE(producers.logs(30000));
    Producers late(4, 2);
    EXPECT_TRUE(late.logs(10));
    EXPECT_GT(fill("/dev/shm/ballast"), 500'000u);
    EXPECT_TRUE(producers.logs(30000));
    late.stop();
    producers.stop();
    steno::stop();
    EXPECT_EQ(warnings_.count("will not survive a crash"), 0u) << warnings_.text();
    std::vector<std::uint64_t> counts = producers.counts();
    for (const std::uint64_t count : late.counts()) counts.push_back(count);
    expect_complete({path()}, counts);
  });
}

TEST_F(StagingTest, OutOfInodes) {
  for (const int inodes : {2, 3, 4, 5, 6, 7}) {
    STENO_IN_SANDBOX({
      mount_tmpfs("/dev/shm", "size=16M,nr_inodes=" + std::to_string(inodes));
      start();
      run();
      EXPECT_EQ(warnings_.count(), 1u) << inodes << " inodes: " << warnings_.text();
      std::filesystem::remove(path());
    });
  }
}

// Pages exist before they are used: what fills up later takes nothing away.
TEST_F(StagingTest, FillsUpWhileThreadsLog) {
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", "size=2M");
    start();
    Producers producers(4);
    EXPECT_TRUE(producers.logs(100));
    EXPECT_GT(fill("/dev/shm/ballast"), 1'000'000u);
    EXPECT_TRUE(producers.logs(5000));
    Producers late(4, 4);
    EXPECT_TRUE(late.logs(1000));
    late.stop();
    producers.stop();
    steno::stop();
    EXPECT_EQ(warnings_.count("will not survive a crash"), 1u) << warnings_.text();  // beside one of rings' growth
    std::vector<std::uint64_t> counts = producers.counts();
    for (const std::uint64_t count : late.counts()) counts.push_back(count);
    expect_complete({path()}, counts);
  });
}

// Records that are logged then are in the log, unless the process dies before there is room.
TEST_F(StagingTest, NoRoomForStatementsThatComeLate) {
  for (const bool room_comes : {false, true}) {
    STENO_IN_SANDBOX({
      mount_tmpfs("/dev/shm", "size=1M");
      const pid_t child = fork();
      if (child == 0) {
        start(65536, false);
        STENO_INFO("before");
        fill("/dev/shm/ballast");
        // This fills the rest of the dictionary's last page.
        for (int i = 0; i < 1000 && warnings_.count() == 0; ++i) {
          (void)steno::logger(std::to_string(i) + std::string(100, 'x'));
          (void)steno::poll();
        }
        void* plugin = dlopen(STENO_PLUGIN, RTLD_NOW);
        if (plugin == nullptr || warnings_.count("cannot extend the dictionary") != 1) _exit(3);
        const auto log = reinterpret_cast<void (*)(int)>(dlsym(plugin, "plugin_log"));
        log(1);
        STENO_INFO("between");
        log(2);
        if (room_comes) {
          std::filesystem::remove("/dev/shm/ballast");
          (void)steno::poll();
          if (warnings_.count("has room for all statements and loggers again") != 1) _exit(4);
        }
        if (warnings_.count() != (room_comes ? 2u : 1u)) _exit(5);
        raise(SIGKILL);
      }
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
      std::filesystem::remove("/dev/shm/ballast");
      start();
      steno::stop();
      auto log = steno::LogReader::open({path()});
      ASSERT_TRUE(log.ok()) << log.status().message();
      std::vector<std::string> messages;
      log->for_each([&](const steno::Record& record) { messages.push_back(record.message()); });
      ASSERT_FALSE(messages.empty());
      const std::string death = messages.back();  // says the same
      messages.pop_back();
      EXPECT_NE(death.find(room_comes ? "everything that it logged is here" : "4 of its records are missing"),
                std::string::npos)
          << death;
      std::uint64_t lost = 0;
      for (const steno::LossFacts& loss : log->losses()) {
        lost += loss.records;
        EXPECT_NE(loss.records, 0u) << loss.text;
      }
      if (room_comes) {
        EXPECT_EQ(messages, (std::vector<std::string>{"before", "plugin 1", "inline in plugin 1", "between", "plugin 2",
                                                      "inline in plugin 2"}));
        EXPECT_EQ(lost, 0u);
      } else {
        EXPECT_EQ(messages, (std::vector<std::string>{"before", "between"}));
        EXPECT_EQ(lost, 4u);
      }
      std::filesystem::remove(path());
    });
  }
}

// A container's 64 MB are enough for a thousand threads that log little; a quarter of that is not.
TEST_F(StagingTest, AThousandThreadsIn64Megabytes) {
  const bool fewer = steno::test::kAddressSanitizer || steno::test::kThreadSanitizer;  // a stack costs them much
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", fewer ? "size=16M" : "size=64M");
    start(std::size_t{1} << 16);
    run(fewer ? 250 : 1000, 20);
    EXPECT_EQ(warnings_.count("will not survive a crash"), 0u) << warnings_.text();
  });
  std::filesystem::remove(path());
  STENO_IN_SANDBOX({
    mount_tmpfs("/dev/shm", fewer ? "size=4M" : "size=16M");
    start(std::size_t{1} << 17);
    run(fewer ? 250 : 1000, 20);
    EXPECT_EQ(warnings_.count("will not survive a crash"), 1u) << warnings_.text();  // beside one of rings' growth
  });
}

}  // namespace
}  // namespace steno_test
