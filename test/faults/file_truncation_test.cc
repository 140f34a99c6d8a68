// OutputFile: a file that somebody makes shorter under it takes nothing more, and what comes then begins anew there.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "faulty_system.h"
#include "logfile/output_file.h"
#include "numbered_blocks.h"

namespace steno_test {
namespace {

using steno::StatusCode;
using steno::logfile::OutputFile;
using steno::test::read_file;

class TruncationOfAFile : public OutputFileTest {};

TEST_F(TruncationOfAFile, TakesNothingMoreUntilItIsOpenedAgain) {
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 1000)).ok());
  EXPECT_FALSE(file.truncated());
  std::filesystem::resize_file(path(), 0);  // as logrotate's copytruncate does
  EXPECT_TRUE(file.truncated());
  EXPECT_TRUE(file.moved());
  EXPECT_EQ(file.write(block(2, 5000)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(file.write(block(3, 10)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(file.retry().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(file.stuck());
  EXPECT_EQ(std::filesystem::file_size(path()), 0u);
  OutputFile old;
  ASSERT_TRUE(file.reopen(&old).ok());
  EXPECT_TRUE(old.stuck());
  EXPECT_FALSE(file.moved());
  ASSERT_TRUE(file.write(block(4, 10)).ok());
  EXPECT_EQ(read_file(path()), text(block(4, 10)));
}

// Nothing of ours is gone then.
TEST_F(TruncationOfAFile, BeforeTheFirstWriteIsNone) {
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 1000)).ok());
  OutputFile other;
  ASSERT_TRUE(other.open(path(), 0600).ok());
  std::filesystem::resize_file(path(), 0);
  EXPECT_FALSE(other.truncated());
  ASSERT_TRUE(other.write(block(2, 10)).ok());
  EXPECT_EQ(read_file(path()), text(block(2, 10)));
}

// Between the look at the file and the write, whatever of a block has been written before, and whatever is left of it.
TEST_F(TruncationOfAFile, WhatLandsThereMeanwhileBecomesPadding) {
  const ByteBuffer whole = block(2, 500);
  for (std::int64_t room = 0; room <= static_cast<std::int64_t>(whole.size()); ++room) {
    FaultySystem system;
    std::filesystem::remove(path());
    OutputFile file;
    ASSERT_TRUE(file.open(path(), 0600).ok());
    ASSERT_TRUE(file.write(block(1, 1000)).ok());
    bool cut = false;
    const auto truncate = [&] {
      if (!std::exchange(cut, true)) std::filesystem::resize_file(path(), 0);
    };
    const bool stuck = room < static_cast<std::int64_t>(whole.size());
    if (stuck) {
      system.room = room;
      EXPECT_FALSE(file.write(whole).ok());
      system.room = 100'000;
      system.before_write = truncate;
      EXPECT_EQ(file.retry().code(), StatusCode::kFailedPrecondition) << "room for " << room;
    } else {
      system.before_write = truncate;
      EXPECT_EQ(file.write(whole).code(), StatusCode::kFailedPrecondition);
    }
    EXPECT_TRUE(cut);
    OutputFile old;
    ASSERT_TRUE(file.reopen(&old).ok());
    old.cut(77);
    EXPECT_FALSE(old.stuck());
    ASSERT_TRUE(file.write(block(3, 50)).ok());
    EXPECT_EQ(whole_numbers(path()), (std::vector<std::uint64_t>{3})) << "room for " << room;
  }
}

TEST_F(TruncationOfAFile, IsSeenAlthoughOthersHaveWrittenSince) {
  OutputFile file;
  OutputFile other;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 100)).ok());
  ASSERT_TRUE(other.open(path(), 0600).ok());
  ASSERT_TRUE(other.write(block(2, 100)).ok());
  EXPECT_FALSE(file.truncated());
  ASSERT_TRUE(file.write(block(3, 100)).ok());
  std::filesystem::resize_file(path(), 0);
  OutputFile again;
  ASSERT_TRUE(again.open(path(), 0600).ok());
  ASSERT_TRUE(again.write(block(4, 1000)).ok());
  EXPECT_TRUE(file.truncated());
  EXPECT_TRUE(file.moved());
  EXPECT_EQ(file.write(block(5, 100)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(other.write(block(6, 100)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(whole_numbers(path()), (std::vector<std::uint64_t>{4}));
}

// And between our look and our write they come first.
TEST_F(TruncationOfAFile, IsSeenWhereOthersWroteMeanwhile) {
  FaultySystem system;
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 100)).ok());
  system.before_write = [&] {
    system.before_write = nullptr;
    std::filesystem::resize_file(path(), 0);
    OutputFile other;
    ASSERT_TRUE(other.open(path(), 0600).ok());
    ASSERT_TRUE(other.write(block(2, 1000)).ok());
  };
  EXPECT_EQ(file.write(block(3, 100)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(whole_numbers(path()), (std::vector<std::uint64_t>{2}));
}

// This happens if a program has given up the privileges with which it opened the log.
TEST_F(TruncationOfAFile, BeginsAnewInItWhereThePathCannotBeOpened) {
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 1000)).ok());
  std::filesystem::rename(path(), path("log.1"));
  std::filesystem::create_directory(path());
  OutputFile old;
  EXPECT_FALSE(file.reopen(&old).ok());
  std::filesystem::resize_file(path("log.1"), 0);
  ASSERT_TRUE(file.reopen(&old).ok());
  EXPECT_TRUE(old.same_file(file));
  EXPECT_EQ(file.bytes_written(), 0u);
  EXPECT_FALSE(file.truncated());
  old.close();
  ASSERT_TRUE(file.write(block(2, 50)).ok());
  ASSERT_TRUE(file.write(block(3, 50)).ok());
  EXPECT_EQ(whole_numbers(path("log.1")), (std::vector<std::uint64_t>{2, 3}));
}

TEST_F(TruncationOfAFile, CutLeavesItAlone) {
  FaultySystem system;
  OutputFile file;
  ASSERT_TRUE(file.open(path(), 0600).ok());
  ASSERT_TRUE(file.write(block(1, 8)).ok());
  system.room = 100;
  EXPECT_FALSE(file.write(block(2, 500)).ok());
  std::filesystem::resize_file(path(), 0);
  system.room = 100'000;
  OutputFile other;
  ASSERT_TRUE(other.open(path(), 0600).ok());
  for (std::uint64_t i = 10; i < 20; ++i) ASSERT_TRUE(other.write(block(i, 100)).ok());
  const std::string before = read_file(path());
  file.cut(77);
  EXPECT_EQ(read_file(path()), before);
}

}  // namespace
}  // namespace steno_test
