// OutputFile: the bytes of the file under every schedule of faults, paths that come to name something else, limits.
#include "logfile/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../sanitizers.h"
#include "base/bytes.h"
#include "faulty_system.h"
#include "logfile/file_marks.h"
#include "numbered_blocks.h"

namespace steno_test {
namespace {

using steno::ByteBuffer;
using steno::logfile::mark_removed;
using steno::logfile::OutputFile;
using steno::logfile::Writers;
using steno::test::read_file;

// If there are no locks, nobody can be known to be absent.
TEST_F(OutputFileTest, AFileIsSurelyNobodysOnlyWithTheLock) {
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  const int other = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(mark_removed(other), Writers::kSome);
  file.close();
  EXPECT_EQ(mark_removed(other), Writers::kNone);
  ::close(other);
  // No such lock can be had through a descriptor that only reads: an error, and no conflict.
  const int reading = ::open(path().c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(mark_removed(reading), Writers::kUnknown);
  ::close(reading);
  FaultySystem system;
  for (const int error : {EINVAL, ENOLCK, EOPNOTSUPP}) {
    const int again = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
    system.lock_error = error;
    EXPECT_EQ(mark_removed(again), Writers::kUnknown) << error;
    system.lock_error = 0;
    EXPECT_EQ(mark_removed(again), Writers::kNone);
    ::close(again);
  }
}

TEST_F(OutputFileTest, UnderAnyFaultsTheFileHasExactlyTheBytesWrittenInOrder) {
  std::uint64_t refused = 0;
  std::uint64_t shortened = 0;
  std::uint64_t interrupted = 0;
  constexpr int kRounds = steno::test::sampled(300);
  for (int round = 0; round < kRounds; ++round) {
    FaultySystem system;
    system.seed(static_cast<unsigned>(round));
    system.interrupted = random_() % 40;
    system.shortened = random_() % 80;
    system.failed = random_() % 60;
    std::filesystem::remove(path());
    OutputFile file;
    ASSERT_TRUE(file.open(path(), 0600).ok());
    std::string expected;
    for (std::uint64_t i = 0; i < 40; ++i) {
      const ByteBuffer bytes = block(i, random_() % 5000);
      expected += text(bytes);
      if (random_() % 4 == 0) system.room = static_cast<std::int64_t>(random_() % 3000);
      const bool ok = file.write(bytes).ok();
      ASSERT_EQ(ok, !file.stuck());
      const std::string now = read_file(path());
      ASSERT_EQ(now, expected.substr(0, now.size())) << "round " << round << ", block " << i;
      ASSERT_EQ(ok, now.size() == expected.size());
      if (random_() % 3 == 0) system.room = std::numeric_limits<std::int64_t>::max();
      if (random_() % 3 == 0) (void)file.retry();
    }
    system.room = std::numeric_limits<std::int64_t>::max();
    system.failed = 0;
    ASSERT_TRUE(file.retry().ok());
    ASSERT_FALSE(file.stuck());
    ASSERT_EQ(read_file(path()), expected);
    ASSERT_EQ(file.bytes_written(), expected.size());
    refused += system.refused();
    shortened += system.short_writes();
    interrupted += system.interruptions();
  }
  EXPECT_GT(refused, 3u * kRounds);  // or the schedules tested nothing
  EXPECT_GT(shortened, 3u * kRounds);
  EXPECT_GT(interrupted, 3u * kRounds);
}

// A parent and its forked child write one file. What a fault splits is written again after the other's block.
TEST_F(OutputFileTest, TwoThatAppendToOneFileLoseNoBlockWhateverIsSplit) {
  std::size_t split = 0;
  for (int round = 0; round < steno::test::sampled(300); ++round) {
    FaultySystem system;
    system.seed(static_cast<unsigned>(round));
    system.shortened = 50;
    system.failed = 40;
    std::filesystem::remove(path());
    OutputFile files[2];
    for (OutputFile& file : files) ASSERT_TRUE(file.open(path(), 0600).ok());
    std::uint64_t next[2] = {1, 1};
    for (int i = 0; i < 40; ++i) {
      const std::size_t who = random_() % 2;
      (void)files[who].write(block(next[who]++ * 2 + who, random_() % 300));
    }
    system.failed = 0;
    for (OutputFile& file : files) ASSERT_TRUE(file.retry().ok());
    std::size_t damages = 0;
    std::uint64_t expected[2] = {2, 3};
    for (const std::uint64_t number : numbers(read_file(path()), &damages)) {
      ASSERT_EQ(number, expected[number % 2]) << "round " << round;
      expected[number % 2] += 2;
    }
    ASSERT_EQ(expected[0], next[0] * 2);
    ASSERT_EQ(expected[1], next[1] * 2 + 1);
    split += damages;
  }
  EXPECT_GT(split, steno::test::sampled(300) / 3u);  // or nothing was split
}

TEST_F(OutputFileTest, AppendsAtAMultipleOfEightAfterATornTail) {
  const std::string torn = text(block(0, 100)).substr(0, 61);
  std::filesystem::create_directory(path("d"));
  FILE* out = fopen(path().c_str(), "w");
  fwrite(torn.data(), 1, torn.size(), out);
  fclose(out);
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 8)).ok());
  EXPECT_EQ(read_file(path()), torn + std::string(3, '\0') + text(block(1, 8)));
}

TEST_F(OutputFileTest, FailuresSayWhatHappenedAndWhatToDo) {
  FaultySystem system;
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  const std::map<int, std::pair<steno::StatusCode, std::string>> cases = {
      {ENOSPC, {steno::StatusCode::kExhausted, "No space left"}},
      {EDQUOT, {steno::StatusCode::kExhausted, "quota exceeded"}},
      {EFBIG, {steno::StatusCode::kExhausted, "ulimit -f"}},
      {EROFS, {steno::StatusCode::kPermissionDenied, "Read-only file system"}},
      {EIO, {steno::StatusCode::kIoError, "Input/output error"}},
  };
  for (const auto& [error, what] : cases) {
    system.write_error = error;
    const steno::Status status = file.write(block(1, 8));
    EXPECT_EQ(status.code(), what.first);
    EXPECT_NE(status.message().find(what.second), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(path()), std::string::npos) << status.message();
  }
  system.sync_error = EIO;
  EXPECT_EQ(file.sync().code(), steno::StatusCode::kIoError);
  for (const int harmless : {EINVAL, EROFS}) {
    system.sync_error = harmless;
    EXPECT_TRUE(file.sync().ok());
  }
}

TEST_F(OutputFileTest, MovedIsTrueWhenThePathNamesSomethingElse) {
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 100)).ok());
  EXPECT_FALSE(file.moved());
  std::filesystem::rename(path(), path("log.1"));
  EXPECT_TRUE(file.moved()) << "missing";
  std::filesystem::create_symlink(path("log.1"), path());
  EXPECT_FALSE(file.moved()) << "a link to our file";
  std::filesystem::remove(path());
  std::filesystem::copy_file(path("log.1"), path());
  EXPECT_TRUE(file.moved()) << "another file";
  std::filesystem::rename(path("log.1"), path());
  EXPECT_FALSE(file.moved()) << "back again";
}

TEST_F(OutputFileTest, MovedIsFalseForWhatHasNoPlaceAndWhenNobodyKnows) {
  for (const char* device : {"/dev/null", "/dev/zero"}) {
    ASSERT_TRUE(std::filesystem::is_character_file(device)) << device << " is no device here";
    OutputFile file;
    ASSERT_TRUE(file.open(device, 0600).ok());
    ASSERT_TRUE(file.write(block(1, 8)).ok());
    EXPECT_FALSE(file.moved());
  }
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  OutputFile pipe;
  ASSERT_TRUE(pipe.open(path("pipe"), 0600).ok());
  ASSERT_TRUE(pipe.write(block(1, 8)).ok());
  std::filesystem::remove(path("pipe"));
  EXPECT_FALSE(pipe.moved());
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  std::filesystem::rename(path(), path("away"));
  std::filesystem::create_symlink(path(), path());  // ELOOP: nobody says that it is gone
  EXPECT_FALSE(file.moved());
}

TEST_F(OutputFileTest, ReopenLeavesTheOldFileToTheCaller) {
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0640).ok());
  ASSERT_TRUE(file.write(block(1, 50)).ok());
  std::filesystem::rename(path(), path("log.1"));
  OutputFile old;
  ASSERT_TRUE(file.reopen(&old).ok());
  EXPECT_FALSE(file.moved());
  EXPECT_EQ(file.bytes_written(), 0u);
  ASSERT_TRUE(old.write(block(2, 50)).ok());
  ASSERT_TRUE(file.write(block(3, 50)).ok());
  old.close();
  EXPECT_EQ(read_file(path("log.1")), text(block(1, 50)) + text(block(2, 50)));
  EXPECT_EQ(read_file(path()), text(block(3, 50)));
  struct stat st {};
  ASSERT_EQ(stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0640u);
}

TEST_F(OutputFileTest, ReopenThatFailsChangesNothing) {
  std::filesystem::create_directory(path("dir"));
  OutputFile file;
  ASSERT_TRUE(file.open(path("dir/log"), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 50)).ok());
  std::filesystem::rename(path("dir"), path("gone"));
  OutputFile old;
  EXPECT_TRUE(file.moved());
  EXPECT_EQ(file.reopen(&old).code(), steno::StatusCode::kNotFound);
  EXPECT_FALSE(old.is_open());
  // The path may not be a pipe, a directory or somebody else's file.
  std::filesystem::create_directory(path("dir"));
  ASSERT_EQ(mkfifo(path("dir/log").c_str(), 0600), 0);
  EXPECT_EQ(file.reopen(&old).code(), steno::StatusCode::kInvalidArgument);
  std::filesystem::remove(path("dir/log"));
  std::filesystem::create_directory(path("dir/log"));
  EXPECT_FALSE(file.reopen(&old).ok());
  std::filesystem::remove(path("dir/log"));
  FILE* other = fopen(path("dir/log").c_str(), "w");
  fputs("this is a text file, and a long enough one\n", other);
  fclose(other);
  EXPECT_EQ(file.reopen(&old).code(), steno::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::filesystem::file_size(path("dir/log")), 43u);

  ASSERT_TRUE(file.write(block(2, 50)).ok());
  EXPECT_EQ(read_file(path("gone/log")), text(block(1, 50)) + text(block(2, 50)));
  std::filesystem::remove(path("dir/log"));
  EXPECT_TRUE(file.reopen(&old).ok());
  EXPECT_TRUE(old.is_open());
}

constexpr std::uint64_t kSession = 77;

TEST_F(OutputFileTest, CutMakesPaddingOfWhatIsHalfWritten) {
  for (std::int64_t room = 1; room < 130; ++room) {
    FaultySystem system;
    std::filesystem::remove(path());
    OutputFile file;
    ASSERT_TRUE(file.open(path(), 0600).ok());
    ASSERT_TRUE(file.write(block(1, 50)).ok());
    system.room = room;
    EXPECT_FALSE(file.write(block(2, 500)).ok());
    const std::uintmax_t size = std::filesystem::file_size(path());
    OutputFile old;
    std::filesystem::rename(path(), path("log.1"));
    ASSERT_TRUE(file.reopen(&old).ok());
    EXPECT_TRUE(old.stuck());
    EXPECT_FALSE(file.stuck());
    old.cut(kSession);
    EXPECT_EQ(std::filesystem::file_size(path("log.1")), size);
    EXPECT_EQ(old.bytes_written(), block(1, 50).size());
    EXPECT_FALSE(old.write(block(3, 50)).ok());  // the end block
    system.room = 1000;
    ASSERT_TRUE(old.retry().ok());
    EXPECT_EQ(whole_numbers(path("log.1")), (std::vector<std::uint64_t>{1, 3})) << "room for " << room;
  }
}

// Whatever others append, before it, in the middle of it and after.
TEST_F(OutputFileTest, CutSparesWhatOthersWroteAfterIt) {
  for (std::int64_t room = 8; room < 200; room += 8) {
    FaultySystem system;
    std::filesystem::remove(path());
    OutputFile file;
    OutputFile other;
    ASSERT_TRUE(file.open(path(), 0600).ok());
    ASSERT_TRUE(other.open(path(), 0600).ok());
    ASSERT_TRUE(file.write(block(1, 8)).ok());
    system.room = room;
    EXPECT_FALSE(file.write(block(2, 500)).ok());
    system.room = 100'000;
    if (room % 16 == 0) {
      ASSERT_TRUE(other.write(block(3, 8)).ok());
    }
    system.before_pwrite = [&] { ASSERT_TRUE(other.write(block(4, 8)).ok()); };
    file.cut(kSession);
    system.before_pwrite = nullptr;
    ASSERT_TRUE(other.write(block(5, 8)).ok());
    ASSERT_TRUE(file.write(block(6, 8)).ok());
    std::vector<std::uint64_t> expected = {1, 3, 4, 5, 6};
    if (room % 16 != 0) std::erase(expected, 3u);
    std::size_t damages = 0;
    std::vector<std::uint64_t> found = numbers(read_file(path()), &damages);
    std::erase(found, kPaddingNumber);
    EXPECT_EQ(found, expected) << "room for " << room;
    // A rest that is shorter than a block's header cannot be overwritten by a block.
    EXPECT_EQ(damages, room < 24 ? 1u : 0u) << "room for " << room;
  }
}

// This runs in a child, because a signal that gets through would end it.
TEST_F(OutputFileTest, TheLimitOnFileSizesIsAFailedWriteAndNoSignal) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    OutputFile file;
    if (!file.open(path(), 0600).ok()) _exit(2);
    const rlimit limit = {1000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (file.write(block(1, 2000)).code() != steno::StatusCode::kExhausted) _exit(3);
    if (file.retry().code() != steno::StatusCode::kExhausted) _exit(4);
    const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
    if (!file.retry().ok()) _exit(5);
    sigset_t pending;
    sigset_t blocked;
    sigpending(&pending);
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    _exit(sigismember(&pending, SIGXFSZ) || sigismember(&blocked, SIGXFSZ) ? 6 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(path()), text(block(1, 2000)));
}

TEST_F(OutputFileTest, MovesAndClosesOnce) {
  OutputFile a;
  ASSERT_TRUE(a.open(path(), 0600).ok());
  OutputFile b = std::move(a);
  EXPECT_FALSE(a.is_open());
  ASSERT_TRUE(b.write(block(1, 8)).ok());
  a = std::move(b);
  ASSERT_TRUE(a.write(block(2, 8)).ok());
  EXPECT_EQ(read_file(path()), text(block(1, 8)) + text(block(2, 8)));
}

}  // namespace
}  // namespace steno_test
