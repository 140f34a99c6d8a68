// The file of a log as it grows: what comes is read once, whatever happens to the file.
#include "follow/file_tail.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "../session/log_test.h"

namespace steno::follow {
namespace {

class FileTailTest : public steno_test::LogTest {
 protected:
  static void log_one() { STENO_INFO("one"); }
};

TEST_F(FileTailTest, ForgetsSessionsThatHaveEnded) {
  start();
  log_one();
  ASSERT_TRUE(steno::flush().ok());
  FileTail tail(path());
  tail.open();
  const auto read = [&tail] {
    ByteBuffer blocks;
    std::vector<FileTail::Event> events;
    EXPECT_TRUE(tail.read(&blocks, &events));
    return events;
  };
  const std::vector<FileTail::Event> begun = read();
  ASSERT_EQ(begun.size(), 1u);
  EXPECT_TRUE(tail.has_open(begun[0].session_id));
  steno::stop();
  ASSERT_EQ(read().size(), 1u);
  EXPECT_FALSE(tail.has_open(begun[0].session_id));
}

// More files than there are descriptors: those that are not kept open are opened when they have grown, and found by
// their new names when they were renamed meanwhile.
TEST_F(FileTailTest, MoreFilesThanDescriptors) {
  std::vector<std::string> logs;
  for (const char* name : {"a", "b", "c", "d"}) {
    logs.push_back(path(std::string(name) + ".steno"));
    start({.path = logs.back()});
    log_one();
    steno::stop();
  }
  const auto append = [this, &logs](int from) {
    std::ofstream(path(), std::ios::app | std::ios::binary) << std::ifstream(logs[from], std::ios::binary).rdbuf();
  };
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> others;
  while (others.empty() || others.back() < 40) others.push_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto open_before = descriptors();
  std::vector<std::uint64_t> sessions;
  FileTail tail(path());
  const auto read = [&] {
    for (int look = 0; look < 5; ++look) {
      ByteBuffer blocks;
      std::vector<FileTail::Event> events;
      (void)tail.read(&blocks, &events);
      for (const FileTail::Event& event : events) {
        if (!event.end) sessions.push_back(event.session_id);
      }
      EXPECT_EQ(descriptors(), open_before + (tail.is_kept_open() ? 1 : 0));
    }
  };
  append(0);
  tail.open();
  read();
  EXPECT_EQ(sessions.size(), 1u);
  EXPECT_FALSE(tail.is_kept_open());
  append(1);
  read();
  EXPECT_EQ(sessions.size(), 2u);
  append(2);
  std::filesystem::rename(path(), path("rotated.steno"));
  append(3);
  read();
  EXPECT_EQ(sessions.size(), 4u);
  EXPECT_FALSE(tail.passed_over());
  // A file that cannot be found is reported.
  append(0);
  std::filesystem::rename(path(), path() + ".1");
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::rename(path() + ".1", path("elsewhere/b"));
  append(1);
  read();
  EXPECT_TRUE(tail.passed_over());
  for (const int fd : others) ::close(fd);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

// Bytes that are no block are passed over in parts, however large it is.
TEST_F(FileTailTest, AHoleInTheFileTakesNoMemory) {
  start({.path = path("one.steno")});
  log_one();
  steno::stop();
  start({.path = path("two.steno")});
  log_one();
  steno::stop();
  constexpr std::uintmax_t kHole = std::uintmax_t{1} << 29;
  const auto append = [this](const char* name) {
    std::ofstream(path(), std::ios::app | std::ios::binary) << std::ifstream(path(name), std::ios::binary).rdbuf();
  };
  FileTail tail(path(), 1 << 20);
  append("one.steno");
  std::ofstream(path(), std::ios::app | std::ios::binary) << "no block, STN1 and none either. ";
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) / 8 * 8 + kHole);
  append("two.steno");
  tail.open();
  rusage before{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
  std::size_t begun = 0;
  std::size_t ended = 0;
  for (bool all = false; !all;) {
    ByteBuffer blocks;
    std::vector<FileTail::Event> events;
    all = tail.read(&blocks, &events);
    for (const FileTail::Event& event : events) ++(event.end ? ended : begun);
  }
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
  EXPECT_EQ(begun, 2u);
  EXPECT_EQ(ended, 2u);
  EXPECT_TRUE(tail.passed_over());
  EXPECT_LT(static_cast<std::uintmax_t>(after.ru_maxrss - before.ru_maxrss) * 1024, kHole / 8);
}

}  // namespace
}  // namespace steno::follow
