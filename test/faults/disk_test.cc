// Real file systems that fill up, fail, and come back while a program logs.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "../temp_directory.h"
#include "numbered.h"
#include "sandbox.h"

namespace steno_test {
namespace {

constexpr int kLoggers = 4;

class DiskTest : public ::testing::Test {
 protected:
  DiskTest() {
    disk_ = directory_ + "/disk";
    std::filesystem::create_directory(disk_);
  }

  std::string path() const { return disk_ + "/log.steno"; }
  std::string ballast() const { return disk_ + "/ballast"; }

  void start(bool drop) {
    steno::Options options;
    options.path = path();
    options.staging_directory = directory_;  // what it leaves goes with the test
    options.level = steno::Level::kTrace;
    options.ring_bytes = 65536;
    options.when_full = drop ? steno::WhenFull::kDrop : steno::WhenFull::kBlock;
    options.when_full_at = {{steno::Level::kError, steno::WhenFull::kBlock}};
    options.block_at_most = steno::kForever;
    options.on_warning = warnings_.listener();
    const steno::Status status = steno::try_start(options);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // Logs until the disk is full, goes on until nobody gets on, and makes room.
  void fill_and_free(bool drop) {
    // Room for the start, not for long.
    const std::size_t room = 100'000;
    const std::size_t filled = fill(ballast());
    ASSERT_GT(filled, 2 * room);
    ASSERT_EQ(truncate(ballast().c_str(), static_cast<off_t>(filled - room)), 0);
    start(drop);
    Producers producers(kLoggers);
    EXPECT_TRUE(eventually([&] { return warnings_.count() == 1; }));
    EXPECT_TRUE(producers.all_wait());
    EXPECT_FALSE(steno::flush().ok());
    EXPECT_EQ(warnings_.count("No space left"), 1u) << warnings_.text();
    std::filesystem::remove(ballast());
    EXPECT_TRUE(producers.logs(2000));
    EXPECT_TRUE(steno::flush().ok());
    producers.stop();
    steno::stop();
    EXPECT_EQ(warnings_.count(), 2u) << warnings_.text();
    EXPECT_EQ(warnings_.count("can be written again"), 1u) << warnings_.text();
    if (drop) {
      expect_drops_only({path()}, producers.counts(), true);
    } else {
      expect_complete({path()}, producers.counts());
    }
  }

  // A small ext4 of its own on disk_. Returns why there is none.
  std::string mount_ext4(const std::string& options) {
    if (geteuid() != 0) return "a loop device needs root";
    image_ = directory_ + "/image";
    const std::string quiet = " >/dev/null 2>&1";
    if (std::system(("truncate -s 8M " + image_ + " && mkfs.ext4 -q -F " + image_ + quiet).c_str()) != 0)
      return "no mkfs.ext4 here";
    if (std::system(("mount -o loop," + options + " " + image_ + " " + disk_ + quiet).c_str()) != 0)
      return "no loop device to be had";
    return {};
  }

  const steno::test::TempDirectory made_;
  std::string directory_ = made_.path();
  std::string disk_;
  std::string image_;
  Warnings warnings_;
};

TEST_F(DiskTest, FullTmpfsBlocks) {
  STENO_IN_SANDBOX({
    mount_tmpfs(disk_, "size=16M");
    fill_and_free(false);
  });
}

TEST_F(DiskTest, FullTmpfsDrops) {
  STENO_IN_SANDBOX({
    mount_tmpfs(disk_, "size=16M");
    fill_and_free(true);
  });
}

// Skips the test where ext4 cannot be tried. A child finds this out and has ended when the test begins.
#define STENO_NEEDS_EXT4()                                                          \
  do {                                                                              \
    std::string why = why_no_mounts();                                              \
    if (why.empty()) {                                                              \
      in_child([&] {                                                                \
        ASSERT_EQ(take_mounts(), "");                                               \
        const std::string reason = mount_ext4("rw");                                \
        if (!reason.empty()) write_text((directory_ + "/why").c_str(), reason);     \
      });                                                                           \
      if (std::filesystem::exists(directory_ + "/why")) why = "no ext4 of our own"; \
    }                                                                               \
    if (!why.empty()) GTEST_SKIP() << why;                                          \
  } while (false)

TEST_F(DiskTest, FullExt4Blocks) {
  STENO_NEEDS_EXT4();
  STENO_IN_SANDBOX({
    ASSERT_EQ(mount_ext4("rw"), "");
    fill_and_free(false);
  });
}

TEST_F(DiskTest, FullExt4Drops) {
  STENO_NEEDS_EXT4();
  STENO_IN_SANDBOX({
    ASSERT_EQ(mount_ext4("rw"), "");
    fill_and_free(true);
  });
}

// The kernel turns a file system read-only after an error; it stays so. The program goes on by its policy and ends in
// order, and what was on file before is there.
TEST_F(DiskTest, AFileSystemThatTurnsReadOnlyOrDies) {
  STENO_NEEDS_EXT4();
  for (const bool dies : {false, true}) {
    STENO_IN_SANDBOX({
      ASSERT_EQ(mount_ext4("errors=remount-ro"), "");
      start(true);
      Producers producers(kLoggers);
      EXPECT_TRUE(producers.logs(2000));
      EXPECT_TRUE(steno::flush().ok());
      const std::uint64_t on_file = steno::stats().records;
      if (dies) {
        const int fd = open(disk_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        std::uint32_t no_flush = 2;
        ASSERT_EQ(ioctl(fd, _IOR('X', 125, std::uint32_t), &no_flush), 0) << "EXT4_IOC_SHUTDOWN";
        close(fd);
      } else {
        bool triggered = false;
        for (const auto& entry : std::filesystem::directory_iterator("/sys/fs/ext4")) {
          std::string backing;
          FILE* file = fopen(("/sys/block/" + entry.path().filename().string() + "/loop/backing_file").c_str(), "r");
          if (file == nullptr) continue;
          char line[512] = {};
          if (fgets(line, sizeof line, file) != nullptr) backing = line;
          fclose(file);
          if (backing.find(image_) == std::string::npos) continue;
          triggered = write_text((entry.path() / "trigger_fs_error").c_str(), "1");
        }
        if (!triggered) GTEST_SKIP() << "/sys/fs/ext4 cannot be written here";
      }
      EXPECT_TRUE(eventually([&] { return warnings_.count() == 1; })) << warnings_.text();
      EXPECT_TRUE(producers.all_wait());
      EXPECT_FALSE(steno::flush().ok());
      EXPECT_EQ(warnings_.count("cannot write to"), 1u) << warnings_.text();
      std::thread stopper([] { steno::stop(); });  // lets those that wait go
      producers.stop();
      stopper.join();
      EXPECT_EQ(warnings_.count(), 2u) << warnings_.text();
      EXPECT_EQ(warnings_.count("could not be written"), 1u) << warnings_.text();
      if (!dies) {
        EXPECT_GE(read_log(path()).rows.size(), on_file);
      }
    });
  }
}

// ulimit -f, reached and lifted. The signal that comes with it must not end the program, in whichever thread it writes.
TEST_F(DiskTest, TheLimitOnFileSizes) {
  for (const bool scribe_thread : {true, false}) {
    in_child([&] {
      steno::Options options;
      options.path = path() + (scribe_thread ? "" : ".polled");
      options.ring_bytes = 65536;
      options.scribe_thread = scribe_thread;
      options.block_at_most = steno::kForever;
      options.on_warning = warnings_.listener();
      ASSERT_TRUE(steno::try_start(options).ok());
      steno::prepare_thread();
      Producers producers(kLoggers);
      EXPECT_TRUE(producers.logs(1000));
      const rlimit limit = {1 << 17, RLIM_INFINITY};
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
      EXPECT_TRUE(eventually([&] { return steno::poll(), warnings_.count() == 1; })) << warnings_.text();
      EXPECT_TRUE(producers.all_wait());
      EXPECT_FALSE(steno::flush().ok());
      EXPECT_EQ(warnings_.count("File too large"), 1u) << warnings_.text();
      const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
      EXPECT_TRUE(producers.logs(1000));
      producers.stop();
      steno::stop();
      EXPECT_EQ(warnings_.count(), 2u) << warnings_.text();
      expect_complete({options.path}, producers.counts());
    });
  }
}

// Rings are files, too: threads that come while the limit is low get theirs elsewhere.
TEST_F(DiskTest, ThreadsThatComeUnderALimitOnFileSizes) {
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{4096}, rlim_t{1} << 14}) {
    in_child([&] {
      steno::Options options;
      options.path = path() + std::to_string(bytes);
      options.ring_bytes = 65536;
      options.when_full = steno::WhenFull::kDrop;
      options.on_warning = warnings_.listener();
      ASSERT_TRUE(steno::try_start(options).ok());
      const rlimit limit = {bytes, RLIM_INFINITY};
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
      Producers producers(kLoggers);
      EXPECT_TRUE(producers.logs(100));
      producers.stop();
      const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
      steno::stop();
      EXPECT_EQ(warnings_.count("File too large"), warnings_.count("can be written again") + 1) << warnings_.text();
      // The duration depends on the machine: the part of rings that is kept for errors may be full too.
      const Tally found = tally({options.path}, producers.counts());
      EXPECT_EQ(found.missing, found.dropped);
    });
  }
  // And a program that starts under it.
  in_child([&] {
    const rlimit limit = {0, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    STENO_INFO("waits");
    const steno::Status status = steno::try_start({.path = path() + ".start"});
    const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);  // what the test has to say is written to a file, perhaps
    EXPECT_EQ(status.code(), steno::StatusCode::kExhausted);
    EXPECT_NE(status.message().find("ulimit"), std::string::npos) << status.message();
  });
}

}  // namespace
}  // namespace steno_test
