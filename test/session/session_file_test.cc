// The file of a session: where it may be, what it is appended to, when it is forced to the disk.
#include <sys/stat.h>

#include <thread>

#include "log_test.h"
#include "runtime/core.h"

namespace steno_test {
namespace {

using SessionFileTest = LogTest;

TEST_F(SessionFileTest, WarnedRecordsAreOnFileAtOnce) {
  start({.flush_level = steno::Level::kWarn});
  STENO_INFO("context");
  STENO_WARN("look");
  std::size_t rows = 0;
  for (int i = 0; i < 500 && rows != 2; ++i) {  // five seconds at most: the flush interval alone would take that
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rows = read_log(path()).rows.size();
  }
  EXPECT_EQ(rows, 2u);
}

TEST_F(SessionFileTest, EverySyncPolicy) {
  for (const steno::Sync sync : {steno::Sync::kEachBlock, steno::Sync::kOnLevel, steno::Sync::kInterval}) {
    start({.sync = sync, .sync_interval = std::chrono::milliseconds(1)});
    STENO_ERROR("x");
    EXPECT_TRUE(steno::flush().ok());
    steno::stop();
  }
  EXPECT_EQ(read_log(path()).rows.size(), 3u);
}

struct BadPath {
  std::string path;
  steno::StatusCode code;
  std::string says;
};

TEST_F(SessionFileTest, BadPathsSayWhatIsWrong) {
  { std::filesystem::create_directory(path("dir")); }
  FILE* text = fopen(path("text").c_str(), "w");
  fputs("this is a text file, and a long enough one\n", text);
  fclose(text);
  const std::vector<BadPath> cases = {
      {path("dir"), steno::StatusCode::kIoError, "Is a directory"},
      {path("text"), steno::StatusCode::kInvalidArgument, "not a steno file"},
      {"/dev/full", steno::StatusCode::kExhausted, "No space left"},
      {path("text") + "/x", steno::StatusCode::kNotFound, "Not a directory"},
  };
  for (const BadPath& bad : cases) {
    const steno::Status status = steno::try_start({.path = bad.path});
    EXPECT_EQ(status.code(), bad.code) << bad.path << ": " << status.message();
    EXPECT_NE(status.message().find(bad.says), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(bad.path), std::string::npos) << status.message();
  }
  EXPECT_EQ(std::filesystem::file_size(path("text")), 43u);
  EXPECT_EQ(steno::try_start({}).code(), steno::StatusCode::kInvalidArgument);
  EXPECT_EQ(steno::try_start({.path = path(), .zstd_level = 99}).code(), steno::StatusCode::kInvalidArgument);
  EXPECT_EQ(steno::try_start({.path = path(), .clock = steno::Clock::kUser}).code(),
            steno::StatusCode::kInvalidArgument);
  // Records logged meanwhile wait for a start that works.
  STENO_INFO("still here");
  start();
  EXPECT_EQ(steno::try_start({.path = path("second")}).code(), steno::StatusCode::kFailedPrecondition);
  EXPECT_EQ(finish().rows.size(), 1u);
}

TEST_F(SessionFileTest, NewerFilesAreLeftAlone) {
  start();
  steno::stop();
  FILE* file = fopen(path().c_str(), "r+");
  fseek(file, 16, SEEK_SET);
  fputc(99, file);
  fclose(file);
  const auto size = std::filesystem::file_size(path());
  const steno::Status status = steno::try_start({.path = path()});
  EXPECT_EQ(status.code(), steno::StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("newer version"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path()), size);
}

TEST_F(SessionFileTest, AppendsAfterATornTail) {
  start();
  STENO_INFO("first");
  steno::stop();
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 12);
  start();
  STENO_INFO("second");
  const Log log = finish();
  ASSERT_EQ(log.rows.size(), 2u);
  EXPECT_EQ(log.rows[1].message, "second");
  EXPECT_FALSE(log.losses.empty());  // the first session's end block is gone
}

TEST_F(SessionFileTest, FilesArePrivateUnlessAskedOtherwise) {
  start();
  struct stat st {};
  ASSERT_EQ(stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  const std::string staging = steno::runtime::core_at(0)->staging().path();
  ASSERT_EQ(stat(staging.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
}

}  // namespace
}  // namespace steno_test
