// Tests which changes of a file are heard by the thread that waits for them.
#include "base/file_changes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace steno {
namespace {

using Heard = FileChanges::Heard;
constexpr std::chrono::minutes kLong{5};

class FileChangesTest : public testing::Test {
 protected:
  FileChangesTest() { std::filesystem::create_directories(directory_); }
  ~FileChangesTest() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string write(const std::string& name) const {
    std::ofstream(path(name)) << "text";
    return path(name);
  }

  const std::string directory_ = testing::TempDir() + "/file_changes_" + std::to_string(getpid());
};

TEST_F(FileChangesTest, AFileThatIsWrittenAndClosedIsHeard) {
  FileChanges changes(path("file"));
  ASSERT_TRUE(changes.listening());
  std::ofstream file(path("file"));
  file << "text" << std::flush;
  EXPECT_EQ(changes.wait(std::chrono::milliseconds(1)), Heard::kNothing);  // it is open
  file.close();
  EXPECT_EQ(changes.wait(kLong), Heard::kFile);
  EXPECT_EQ(changes.wait(std::chrono::milliseconds(1)), Heard::kNothing);
}

TEST_F(FileChangesTest, AFileThatTakesItsPlaceIsHeard) {
  FileChanges changes(write("file"));
  std::filesystem::rename(write("other"), path("file"));
  EXPECT_EQ(changes.wait(kLong), Heard::kFile);
}

TEST_F(FileChangesTest, OfOtherFilesThoseAreHeardThatAreMovedThere) {
  FileChanges changes(path("file"));
  write("other");
  EXPECT_EQ(changes.wait(std::chrono::milliseconds(1)), Heard::kNothing);
  std::filesystem::rename(path("other"), path("third"));
  EXPECT_EQ(changes.wait(kLong), Heard::kDirectory);
}

TEST_F(FileChangesTest, WhatComesTogetherIsHeardOnce) {
  FileChanges changes(path("file"));
  std::filesystem::rename(write("other"), path("third"));
  write("file");
  EXPECT_EQ(changes.wait(kLong), Heard::kFile);
  EXPECT_EQ(changes.wait(std::chrono::milliseconds(1)), Heard::kNothing);
}

TEST_F(FileChangesTest, EndLetsAWaitReturn) {
  FileChanges changes(path("file"));
  std::thread ender([&] { changes.end(); });
  EXPECT_EQ(changes.wait(kLong), Heard::kNothing);
  ender.join();
  EXPECT_FALSE(changes.listening());
  write("file");
  EXPECT_EQ(changes.wait(kLong), Heard::kNothing);
}

TEST_F(FileChangesTest, ADirectoryThatIsNotThereIsNotListenedTo) {
  FileChanges changes(path("none/file"));
  EXPECT_FALSE(changes.listening());
  EXPECT_EQ(changes.wait(kLong), Heard::kNothing);
  changes.end();
}

TEST_F(FileChangesTest, ADirectoryThatGoesIsNotListenedToAnyMore) {
  FileChanges changes(path("file"));
  std::filesystem::remove_all(directory_);
  EXPECT_EQ(changes.wait(kLong), Heard::kNothing);
  EXPECT_FALSE(changes.listening());
}

}  // namespace
}  // namespace steno
