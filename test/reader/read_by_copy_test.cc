// Files that are read by copy: the same records as mapped, and whoever cuts or changes one meanwhile makes damage, and
// nothing else.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <random>

#include "../random_cases.h"
#include "damaged_log.h"
#include "file_builder.h"
#include "indexed_log.h"
#include "reader/merge.h"
#include "stored_log.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::StoredLog;
using test::TempFile;

constexpr std::uint64_t kDataBlocks = 40;
constexpr std::uint64_t kNumbers = 4000;  // of each block

// Takes its eight bytes.
std::uint64_t nth_number(std::uint64_t n) {
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 27) * 0x94d049bb133111eb;
  return n ^ n >> 31;
}

std::string log_of_numbers() {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "m").thread(0, 1, "t");
  for (std::uint64_t i = 0; i < kDataBlocks * kNumbers; ++i) {
    b.log(0, 16, FileBuilder::kStart + i, Args().u64(nth_number(i + 1)));
    if (i % kNumbers == kNumbers - 1) b.flush();
  }
  return b.end().bytes();
}

// Large enough not to be read at once; with an index, or without.
const std::string& large_log(bool indexed) {
  static const std::string plain = log_of_numbers();
  static const std::string with_index = test::with_indexes(plain, 10);
  return indexed ? with_index : plain;
}

OpenOptions by_copy(bool indexed) {
  OpenOptions options;
  options.index_from = indexed ? 0 : UINT64_MAX;
  options.access = FileBytes::Access::kCopy;
  return options;
}

struct Numbers {
  std::set<std::uint64_t> seen;
  std::vector<DecodeFailure> failures;
};

// All that can be read of files that were opened before.
Numbers read_numbers(const LogSet& logs) {
  Numbers numbers;
  Merge merge(logs, {});
  Slice slice;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      text::Value value;
      slice.block->values(i, &value);
      numbers.seen.insert(value.bits);
    }
  }
  numbers.failures = merge.failures();
  return numbers;
}

void expect_logged(const std::set<std::uint64_t>& numbers) {
  static const std::set<std::uint64_t> logged = [] {
    std::set<std::uint64_t> all;
    for (std::uint64_t i = 0; i < kDataBlocks * kNumbers; ++i) all.insert(nth_number(i + 1));
    return all;
  }();
  for (const std::uint64_t number : numbers) ASSERT_TRUE(logged.contains(number)) << number;
}

TEST(ReadByCopy, HasTheRecordsAndLossesOfAMapping) {
  for (const bool indexed : {false, true}) {
    for (const std::size_t flipped : {0, 20}) {
      std::string bytes = large_log(indexed);
      if (flipped != 0) bytes[bytes.size() / 40 * flipped] ^= 1;
      OpenOptions mapped = by_copy(indexed);
      mapped.access = FileBytes::Access::kMap;
      const test::ReadLog expected = test::read_log(bytes, true, mapped);
      const test::ReadLog read = test::read_log(bytes, true, by_copy(indexed));
      EXPECT_EQ(read.records, expected.records);
      EXPECT_EQ(read.losses.lost, expected.losses.lost);
      EXPECT_EQ(read.losses.exact, expected.losses.exact);
      ASSERT_EQ(read.damage.size(), expected.damage.size());
      for (std::size_t i = 0; i < read.damage.size(); ++i) EXPECT_EQ(read.damage[i].reason, expected.damage[i].reason);
      EXPECT_EQ(read.losses.complete(), flipped == 0);
    }
  }
}

// A file that is too large to be copied for a look through all of it is mapped.
TEST(ReadByCopy, BeyondTheLimitItIsMapped) {
  const TempFile file(large_log(false));
  for (const std::uint64_t limit : {large_log(false).size(), large_log(false).size() - 1}) {
    OpenOptions options = by_copy(false);
    options.limits.copied_bytes = limit;
    LogSet logs(options);
    ASSERT_TRUE(logs.add(file.path()).ok());
    std::size_t mappings = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) mappings += line.find(file.path()) != std::string::npos ? 1 : 0;
    EXPECT_EQ(mappings, limit < large_log(false).size() ? 1u : 0u);
    EXPECT_EQ(read_numbers(logs).seen.size(), kDataBlocks * kNumbers);
  }
}

TEST(ReadByCopy, WhatWasCutSinceItWasOpenedIsNamed) {
  for (const bool indexed : {false, true}) {
    const std::string& bytes = large_log(indexed);
    const TempFile file(bytes);
    LogSet logs(by_copy(indexed));
    ASSERT_TRUE(logs.add(file.path()).ok());
    std::filesystem::resize_file(file.path(), bytes.size() / 2);
    const Numbers numbers = read_numbers(logs);
    expect_logged(numbers.seen);
    EXPECT_GT(numbers.seen.size(), kDataBlocks * kNumbers / 3);
    EXPECT_LT(numbers.seen.size(), kDataBlocks * kNumbers * 2 / 3);
    const std::uint64_t lost = kDataBlocks * kNumbers - numbers.seen.size();
    if (indexed) {  // found by the first look at those blocks
      EXPECT_EQ(find_losses(*logs.files()[0], {}).lost, lost);
      EXPECT_TRUE(numbers.failures.empty());
    } else {
      ASSERT_EQ(numbers.failures.size(), lost / kNumbers);
      EXPECT_NE(numbers.failures[0].damage.reason.find("has become shorter"), std::string::npos)
          << numbers.failures[0].damage.reason;
    }
  }
}

TEST(ReadByCopy, WhatWasChangedSinceItWasOpenedIsNamed) {
  std::mt19937_64 random(1);
  for (const bool indexed : {false, true}) {
    const std::string& bytes = large_log(indexed);
    const TempFile file(bytes);
    LogSet logs(by_copy(indexed));
    ASSERT_TRUE(logs.add(file.path()).ok());
    std::string other = bytes;
    // Blocks of the same session in each other's places, and noise.
    const auto& blocks = logs.files()[0]->blocks();
    for (const std::size_t n : {4, 9}) {
      const BlockEntry& a = blocks[n];
      const BlockEntry& b = blocks[n + 1];
      const std::string moved = bytes.substr(b.header_offset(), b.total_size());
      other.replace(a.header_offset(), std::min(a.total_size(), b.total_size()), moved, 0,
                    std::min(a.total_size(), b.total_size()));
    }
    for (std::uint64_t i = 0; i < 100; ++i) other[blocks[20].offset + 8 * i] ^= static_cast<char>(1 + random() % 255);
    std::ofstream(file.path(), std::ios::binary | std::ios::in)
        .write(other.data(), static_cast<std::streamsize>(other.size()));
    const Numbers numbers = read_numbers(logs);
    expect_logged(numbers.seen);
    EXPECT_EQ(numbers.seen.size(), (kDataBlocks - 3) * kNumbers);
  }
}

// `copytruncate` and a program that goes on writing do this, again and again.
TEST(ReadByCopy, CutAndWrittenAgainAllTheTime) {
  const TempFile file(large_log(false));
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::mt19937_64 random(7);
    for (;; ::usleep(2000)) {
      const std::string& bytes = large_log(random() % 2 == 0);
      if (::truncate(file.path().c_str(), static_cast<off_t>(random() % bytes.size())) != 0) ::_exit(1);
      std::ofstream(file.path(), std::ios::binary | std::ios::in)
          .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
  }
  int opened = 0;
  for (int round = 0; (round < test::random_cases(10) || opened == 0) && !HasFailure(); ++round) {
    LogSet logs(by_copy(round % 2 == 0));
    if (!logs.add(file.path()).ok()) continue;  // of the beginning, zeros are no steno file
    ++opened;
    expect_logged(read_numbers(logs).seen);
    (void)find_losses(*logs.files()[0], {.content = true});
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it went on to the end";
}

TEST(ReadBySource, HasAllRecordsOfTheFile) {
  for (const bool indexed : {false, true}) {
    const auto source = std::make_shared<StoredLog>(large_log(indexed));
    LogSet logs;
    ASSERT_TRUE(logs.add(std::vector<std::shared_ptr<ByteSource>>{source}).ok());
    EXPECT_LE(source->calls, 8u);
    EXPECT_EQ(read_numbers(logs).seen.size(), kDataBlocks * kNumbers);
    EXPECT_TRUE(logs.files()[0]->source_failure().ok());
    EXPECT_TRUE(find_losses(*logs.files()[0], {}).complete());
    const std::size_t calls = source->calls;
    EXPECT_TRUE(find_losses(*logs.files()[0], {}).complete());
    EXPECT_EQ(source->calls, calls) << "all of it was looked through before";
  }
}

// An index says where those before it are: without that each takes a call of its own.
TEST(ReadBySource, ManyIndexesTakeFewCalls) {
  std::size_t calls[2] = {};
  for (const test::Earlier earlier : {test::Earlier::kNone, test::Earlier::kNamed, test::Earlier::kWrong}) {
    const auto source = std::make_shared<StoredLog>(test::with_indexes(large_log(false), 2, earlier));
    LogSet logs;
    ASSERT_TRUE(logs.add(std::vector<std::shared_ptr<ByteSource>>{source}).ok());
    if (earlier != test::Earlier::kWrong) calls[earlier == test::Earlier::kNamed ? 1 : 0] = source->calls;
    const auto& blocks = logs.files()[0]->blocks();
    EXPECT_TRUE(std::all_of(blocks.begin(), blocks.end(), [](const BlockEntry& block) { return block.indexed; }));
    EXPECT_EQ(read_numbers(logs).seen.size(), kDataBlocks * kNumbers);
    EXPECT_TRUE(find_losses(*logs.files()[0], {}).complete());
  }
  EXPECT_GT(calls[0], 15u);
  EXPECT_LE(calls[1], 4u);
}

// Wherever it fails: opening does, or somebody is told.
TEST(ReadBySource, AFailureIsToldAndNoDamage) {
  for (const bool indexed : {false, true}) {
    for (std::size_t sound = 0; sound < 20; ++sound) {
      const auto source = std::make_shared<StoredLog>(large_log(indexed), sound);
      LogSet logs;
      const Status opened = logs.add(std::vector<std::shared_ptr<ByteSource>>{source});
      if (!opened.ok()) {
        EXPECT_EQ(opened.code(), StatusCode::kIoError);
        EXPECT_EQ(opened.message(), "store/log: the store is gone");
        continue;
      }
      const Numbers numbers = read_numbers(logs);
      expect_logged(numbers.seen);
      EXPECT_LT(numbers.seen.size(), kDataBlocks * kNumbers);
      EXPECT_EQ(logs.files()[0]->source_failure().code(), StatusCode::kIoError);
      for (const BlockEntry& block : logs.files()[0]->blocks()) EXPECT_FALSE(logs.files()[0]->is_damaged(block));
    }
  }
}

// A statement that few blocks have costs these blocks; that nothing was dropped, none.
TEST(ReadBySource, BlocksWithoutAStatementAreNotRead) {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "m").site(17, Level::kInfo, "seldom {}", "m").thread(0, 1, "t");
  for (std::uint64_t i = 0; i < kDataBlocks * kNumbers; ++i) {
    b.log(0, i == 10 * kNumbers + 5 ? 17 : 16, FileBuilder::kStart + i, Args().u64(nth_number(i + 1)));
    if (i % kNumbers == kNumbers - 1) b.flush();
  }
  const auto source = std::make_shared<StoredLog>(test::with_indexes(b.end().bytes(), 100));
  LogSet logs;
  ASSERT_TRUE(logs.add(std::vector<std::shared_ptr<ByteSource>>{source}).ok());
  const LogFile& file = *logs.files()[0];
  const auto without_counts = static_cast<std::size_t>(
      std::count_if(file.blocks().begin(), file.blocks().end(), [](const auto& block) { return block.sites == 0; }));
  EXPECT_EQ(without_counts, kDataBlocks / 5);
  std::size_t seldom = 0;
  for (const BlockEntry& block : file.blocks()) {
    for (const format::SiteCount& count : file.sites_of(block)) seldom += count.site == 17 ? count.records : 0;
  }
  EXPECT_EQ(seldom, 1u);
  const std::size_t calls = source->calls;
  EXPECT_TRUE(find_losses(file, {.unread = false}).complete());
  EXPECT_EQ(source->calls - calls, without_counts);
  EXPECT_TRUE(find_losses(file, {}).complete());
  EXPECT_EQ(source->calls - calls, kDataBlocks) << "now each was read";
}

TEST(ReadBySource, WithoutAnIndexALargeOneIsRefused) {
  OpenOptions options;
  options.limits.copied_bytes = large_log(false).size() - 1;
  LogSet logs(options);
  const Status opened =
      logs.add(std::vector<std::shared_ptr<ByteSource>>{std::make_shared<StoredLog>(large_log(false))});
  EXPECT_EQ(opened.code(), StatusCode::kExhausted) << opened.message();
}

}  // namespace
}  // namespace steno::reader
