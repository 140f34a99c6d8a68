#include "logfile/sync_schedule.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace steno::logfile {
namespace {

int syncs = 0;
int sync_error = 0;

int count_sync(int) {
  ++syncs;
  errno = sync_error;
  return sync_error == 0 ? 0 : -1;
}

class SyncScheduleTest : public ::testing::Test {
 protected:
  SyncScheduleTest() {
    calls_ = system_file_calls();
    calls_.fdatasync = count_sync;
    set_file_calls(&calls_);
    syncs = sync_error = 0;
    directory_ = (std::filesystem::temp_directory_path() / "steno-sync-XXXXXX").string();
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
    EXPECT_TRUE(file_.open(path(), 0600).ok());
  }
  ~SyncScheduleTest() override {
    file_.close();
    set_file_calls(nullptr);
    ::unlink(path().c_str());
    ::rmdir(directory_.c_str());
  }
  std::string path() const { return directory_ + "/log.steno"; }
  void run(SyncSchedule& schedule, bool all = false) {
    schedule.run(file_, all, [this](const std::string& what) { said_.push_back(what); });
  }

  std::string directory_;
  FileCalls calls_;
  OutputFile file_;
  std::vector<std::string> said_;
};

TEST_F(SyncScheduleTest, NeverIsNever) {
  SyncSchedule schedule({});
  schedule.wrote(Level::kCritical);
  run(schedule);
  run(schedule, true);
  EXPECT_EQ(syncs, 0);
}

TEST_F(SyncScheduleTest, EachBlockOnce) {
  SyncSchedule schedule({.never = false, .at_once = Level::kTrace});
  run(schedule);
  EXPECT_EQ(syncs, 0) << "nothing was written";
  schedule.wrote(Level::kTrace);
  run(schedule);
  run(schedule);
  EXPECT_EQ(syncs, 1);
}

TEST_F(SyncScheduleTest, SevereRecordsAtOnceAndTheOthersAtTheEnd) {
  SyncSchedule schedule({.never = false, .at_once = Level::kWarn});
  schedule.wrote(Level::kInfo);
  run(schedule);
  EXPECT_EQ(syncs, 0);
  schedule.wrote(Level::kWarn);
  schedule.wrote(Level::kInfo);
  run(schedule);
  EXPECT_EQ(syncs, 1);
  schedule.wrote(Level::kInfo);
  run(schedule, true);
  EXPECT_EQ(syncs, 2);
}

TEST_F(SyncScheduleTest, NotMoreOftenThanTheInterval) {
  SyncSchedule seldom({.never = false, .interval_ns = std::int64_t{1} << 60});
  seldom.wrote(Level::kCritical);
  run(seldom);
  EXPECT_EQ(syncs, 0);
  SyncSchedule often({.never = false, .interval_ns = 0});
  often.wrote(Level::kInfo);
  run(often);
  EXPECT_EQ(syncs, 1);
}

TEST_F(SyncScheduleTest, ADiskThatRefusesIsReportedOnce) {
  SyncSchedule schedule({.never = false, .at_once = Level::kTrace});
  sync_error = EIO;
  for (int i = 0; i < 3; ++i) {
    schedule.wrote(Level::kInfo);
    run(schedule);
  }
  EXPECT_EQ(said_.size(), 1u);
  sync_error = 0;
  schedule.wrote(Level::kInfo);
  run(schedule);
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_EQ(said_.back(), path() + " can be forced to the disk again");
}

}  // namespace
}  // namespace steno::logfile
