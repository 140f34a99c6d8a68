// The file is renamed, removed, truncated, or its directory goes, while threads log: what they log then is found at the
// path again, either file is whole, and nothing is written twice.
#include <algorithm>
#include <filesystem>
#include <string>

#include "faulty_system.h"
#include "numbered.h"
#include "sandbox.h"

namespace steno_test {
namespace {

constexpr int kThreads = 4;

// Each thread's numbers in the file, from its first there to its last, without a gap; the last is the last one logged.
void expect_whole_from_somewhere(const std::string& path, const std::vector<std::uint64_t>& counts, bool undamaged) {
  const Log log = read_log(path, false);
  std::vector<std::uint64_t> next(counts.size(), ~std::uint64_t{0});
  for (const Row& row : log.rows) {
    unsigned thread = 0;
    unsigned long long number = 0;
    ASSERT_EQ(sscanf(row.message.c_str(), "%u %llu", &thread, &number), 2) << row.message;
    ASSERT_LT(thread, next.size());
    if (next[thread] != ~std::uint64_t{0}) {
      ASSERT_EQ(number, next[thread]) << "of thread " << thread;
    }
    next[thread] = number + 1;
  }
  EXPECT_EQ(next, counts);
  if (undamaged) expect_no_losses(path, log);
}

class RotationTest : public LogTest {
 protected:
  void start_logging(bool scribe_thread = true) {
    steno::Options options;
    options.ring_bytes = 65536;
    options.scribe_thread = scribe_thread;
    options.flush_interval = std::chrono::milliseconds(50);
    options.on_warning = warnings_.listener();
    start(options);
  }
  bool new_file_has_come() {
    return eventually([&] {
      (void)steno::poll();
      return std::filesystem::exists(path()) && std::filesystem::file_size(path()) > 0;
    });
  }
  // Calls wait while the log's disk is full.
  void start_on_small_disk(const std::string& log) {
    steno::Options options;
    options.path = log;
    options.ring_bytes = 65536;
    options.block_at_most = steno::kForever;
    options.on_warning = warnings_.listener();
    start(options);
  }
  void wait_until_full(const Producers& producers) {
    EXPECT_TRUE(eventually([&] { return warnings_.count("No space left") == 1; }));
    EXPECT_TRUE(producers.all_wait());
  }
  // A log fills its disk, until everybody waits; then somebody makes room.
  void fill_and_make_room(const std::string& log, const std::function<void(const std::string& log)>& make_room) {
    start_on_small_disk(log);
    Producers producers(kThreads);
    wait_until_full(producers);
    make_room(log);
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log) && std::filesystem::file_size(log) > 0; }));
    producers.stop();
    steno::stop();
    expect_whole_from_somewhere(log, producers.counts(), true);
  }

  Warnings warnings_;
};

TEST_F(RotationTest, Renamed) {
  for (const bool scribe_thread : {true, false}) {
    std::filesystem::remove(path());
    start_logging(scribe_thread);
    Producers producers(kThreads);
    std::vector<std::string> files;
    for (int i = 1; i <= (scribe_thread ? 3 : 1); ++i) {
      EXPECT_TRUE(producers.logs(1000));
      files.push_back(path("log." + std::to_string(i)));
      std::filesystem::rename(path(), files.back());
      ASSERT_TRUE(new_file_has_come());
    }
    EXPECT_TRUE(producers.logs(1000));
    producers.stop();
    steno::stop();
    files.push_back(path());
    expect_complete(files, producers.counts(), [](const std::string& file, const Log& log) {
      EXPECT_EQ(log.sessions, 1u) << file;
      EXPECT_FALSE(log.rows.empty()) << file;
    });
    EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();  // it is how logs are rotated
  }
}

// Whoever takes the old file away may do so when the new one has bytes, not when it is there: until then the old
// session goes on, and what waits in staging reads as its own.
TEST_F(RotationTest, TheOldFileIsFinalOnceTheNewOneHasBytes) {
  const std::string old = path("log.1");
  std::size_t early = 0;  // records of the old file, as read when the new one was there and empty
  std::size_t once_begun = 0;
  FaultySystem system;
  system.before_write = [&] {
    if (!std::filesystem::exists(path()) || !std::filesystem::exists(old) || once_begun != 0) return;
    if (std::filesystem::file_size(path()) == 0) {
      if (early == 0) STENO_INFO("logged while the old session ends");
      early = std::max(early, read_log(old).rows.size());
    } else {
      once_begun = read_log(old).rows.size();
    }
  };
  start_logging(false);
  STENO_INFO("before");
  EXPECT_TRUE(steno::flush().ok());
  std::filesystem::rename(path(), old);
  ASSERT_TRUE(new_file_has_come());
  STENO_INFO("after");
  EXPECT_TRUE(steno::flush().ok());
  steno::stop();
  EXPECT_EQ(early, 2u) << "the other one waits in staging";
  EXPECT_EQ(once_begun, 1u);
  EXPECT_EQ(read_log(old).rows.size(), 1u);
  const Log log = read_log(path());
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_EQ(log.rows[0].message, "logged while the old session ends");
}

// logrotate's `create` does this: an empty file is there before the scribe looks.
TEST_F(RotationTest, RenamedAndMadeAnew) {
  start_logging();
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  std::filesystem::rename(path(), path("log.1"));
  fclose(fopen(path().c_str(), "w"));
  ASSERT_TRUE(new_file_has_come());
  EXPECT_TRUE(producers.logs(1000));
  producers.stop();
  steno::stop();
  EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
  expect_complete({path("log.1"), path()}, producers.counts());
}

TEST_F(RotationTest, ALinkThatComesToPointElsewhere) {
  std::filesystem::create_symlink(path("a"), path());
  start_logging();
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  std::filesystem::create_symlink(path("b"), path("link"));
  std::filesystem::rename(path("link"), path());
  ASSERT_TRUE(new_file_has_come());
  EXPECT_TRUE(producers.logs(1000));
  producers.stop();
  steno::stop();
  EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
  expect_complete({path("a"), path("b")}, producers.counts());
}

TEST_F(RotationTest, Removed) {
  start_logging();
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  std::filesystem::remove(path());
  ASSERT_TRUE(new_file_has_come());
  EXPECT_TRUE(producers.logs(1000));
  producers.stop();
  steno::stop();
  EXPECT_EQ(warnings_.count("was removed"), 1u) << warnings_.text();
  expect_whole_from_somewhere(path(), producers.counts(), true);
}

// logrotate's `copytruncate` does this; its manual says that it loses what comes in between.
TEST_F(RotationTest, Truncated) {
  start_logging();
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  EXPECT_TRUE(steno::flush().ok());
  std::filesystem::copy_file(path(), path("log.1"));
  std::filesystem::resize_file(path(), 0);
  EXPECT_TRUE(eventually([&] { return warnings_.count("was truncated") == 1; }));
  EXPECT_TRUE(producers.logs(1000));
  const std::vector<std::uint64_t> known = producers.counts();
  EXPECT_TRUE(producers.logs(1000));
  producers.stop();
  steno::stop();
  std::vector<std::uint64_t> next(kThreads);
  for (const Row& row : read_log(path(), false).rows) {
    unsigned thread = 0;
    unsigned long long number = 0;
    // Blocks from before we noticed lie without their dictionary.
    if (sscanf(row.message.c_str(), "%u %llu", &thread, &number) != 2) continue;
    ASSERT_GE(number, next[thread]) << row.message;
    ASSERT_TRUE(number == next[thread] || next[thread] < known[thread]) << row.message << " follows " << next[thread];
    next[thread] = number + 1;
  }
  EXPECT_EQ(next, producers.counts());
}

// The file then begins in the middle of a session, and is ours all the same.
TEST_F(RotationTest, TruncatedAndStartedAgain) {
  start_logging();
  STENO_INFO("before");
  EXPECT_TRUE(steno::flush().ok());
  std::filesystem::resize_file(path(), 0);
  STENO_INFO("between");
  EXPECT_TRUE(steno::flush().ok());
  steno::stop();
  start_logging();
  STENO_INFO("after");
  steno::stop();
  const auto rows = read_log(path(), false).rows;
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.back().message, "after");
}

TEST_F(RotationTest, DirectoryGoneAndBack) {
  std::filesystem::create_directory(path("dir"));
  const std::string log = path("dir/log");
  steno::Options options;
  options.path = log;
  options.ring_bytes = 65536;
  options.flush_interval = std::chrono::milliseconds(50);
  options.on_warning = warnings_.listener();
  start(options);
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  std::filesystem::rename(path("dir"), path("old"));
  EXPECT_TRUE(eventually([&] { return warnings_.count() == 1; }));
  EXPECT_EQ(warnings_.count("cannot open " + log), 1u) << warnings_.text();
  // It is tried again each second, and told no more.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  EXPECT_TRUE(producers.logs(1000));
  EXPECT_EQ(warnings_.count(), 1u) << warnings_.text();
  std::filesystem::create_directory(path("dir"));
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log) && std::filesystem::file_size(log) > 0; }));
  EXPECT_TRUE(producers.logs(1000));
  producers.stop();
  steno::stop();
  EXPECT_EQ(warnings_.count("cannot"), 1u) << warnings_.text();
  expect_complete({path("old/log"), log}, producers.counts());
}

TEST_F(RotationTest, DirectoryRemovedForGood) {
  std::filesystem::create_directory(path("dir"));
  steno::Options options;
  options.path = path("dir/log");
  options.ring_bytes = 65536;
  options.on_warning = warnings_.listener();
  start(options);
  Producers producers(kThreads);
  EXPECT_TRUE(producers.logs(1000));
  std::filesystem::remove_all(path("dir"));
  EXPECT_TRUE(eventually([&] { return warnings_.count() == 1; }));
  EXPECT_TRUE(producers.logs(1000));
  EXPECT_TRUE(steno::flush().ok());  // into the file that has no name any more
  producers.stop();
  steno::stop();
  EXPECT_EQ(warnings_.count(), 1u) << warnings_.text();
}

// Somebody removes the log: there is room only when the scribe closes it.
TEST_F(RotationTest, RemovedBecauseItFilledTheDisk) {
  const std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  STENO_IN_SANDBOX({
    mount_tmpfs(disk, "size=256k");
    fill_and_make_room(disk + "/log", [](const std::string& log) { std::filesystem::remove(log); });
  });
}

// Somebody truncates the log: unwritten records begin anew there, with all that is needed to read them.
TEST_F(RotationTest, TruncatedBecauseItFilledTheDisk) {
  const std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  STENO_IN_SANDBOX({
    mount_tmpfs(disk, "size=256k");
    fill_and_make_room(disk + "/log", [](const std::string& log) { std::filesystem::resize_file(log, 0); });
  });
}

// The log has filled the disk, and is renamed out of the way to be looked at later: it must be whole, too.
TEST_F(RotationTest, RenamedBecauseItFilledTheDisk) {
  const std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  STENO_IN_SANDBOX({
    mount_tmpfs(disk, "size=256k");
    ASSERT_TRUE(write_text((disk + "/ballast").c_str(), std::string(4096, 'x')));
    std::filesystem::create_symlink(disk + "/log", path("log"));
    start_on_small_disk(path("log"));
    Producers producers(kThreads);
    wait_until_full(producers);
    std::filesystem::remove(path("log"));  // from here on on another disk
    EXPECT_TRUE(producers.logs(1000));
    std::filesystem::remove(disk + "/ballast");  // the end block wants a little room
    EXPECT_TRUE(eventually([&] { return read_log(disk + "/log").losses.empty(); }));
    producers.stop();
    steno::stop();
    expect_complete({disk + "/log", path("log")}, producers.counts());
  });
}

// One full disk after the other: the ends of the sessions there are written when there is room, of as many files as are
// kept open for that.
TEST_F(RotationTest, EachBecauseItFilledItsDisk) {
  constexpr int kDisks = 6;
  const auto disk = [this](int i) { return path("disk" + std::to_string(i)); };
  for (int i = 0; i < kDisks; ++i) std::filesystem::create_directory(disk(i));
  STENO_IN_SANDBOX({
    for (int i = 0; i < kDisks; ++i) mount_tmpfs(disk(i), "size=256k");
    std::filesystem::create_symlink(disk(0) + "/log", path());
    steno::Options options;
    options.ring_bytes = 1 << 20;
    options.scribe_thread = false;
    options.block_at_most = steno::kForever;
    options.on_warning = warnings_.listener();
    start(options);
    std::vector<std::string> logged;
    const auto log_one = [&logged] {
      logged.push_back(std::to_string(logged.size()) + std::string(5000, 'x'));
      STENO_INFO("{}", logged.back());
      return steno::flush().ok();
    };
    for (int i = 0; i + 1 < kDisks; ++i) {
      EXPECT_TRUE(log_one());
      fill(disk(i) + "/ballast");
      while (log_one()) {
      }
      std::filesystem::create_symlink(disk(i + 1) + "/log", path("link"));
      std::filesystem::rename(path("link"), path());
      ASSERT_TRUE(new_file_has_come());
    }
    for (int i = 0; i + 1 < kDisks; ++i) std::filesystem::remove(disk(i) + "/ballast");
    for (int i = 1; i + 1 < kDisks; ++i) {
      EXPECT_TRUE(eventually([&] { return steno::poll(), read_log(disk(i) + "/log").losses.empty(); })) << i;
    }
    steno::stop();
    EXPECT_EQ(warnings_.count("the oldest of them stays without it"), 1u) << warnings_.text();
    std::vector<std::string> found;
    for (int i = 0; i < kDisks; ++i) {
      const Log log = read_log(disk(i) + "/log");
      for (const Row& row : log.rows) found.push_back(row.message);
      EXPECT_EQ(log.losses.size(), i == 0 ? 1u : 0u) << i;
    }
    EXPECT_EQ(found, logged);
  });
}

}  // namespace
}  // namespace steno_test
