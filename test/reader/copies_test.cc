// Copies of a log, one of them damaged, opened together or written one after the other into one file: what is read is
// the union of what is whole, whatever their order.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "damaged_log.h"
#include "file_builder.h"
#include "indexed_log.h"
#include "memory_file.h"
#include "reader/merge.h"

namespace steno::reader {
namespace {

using test::kByIndex;
using test::MemoryFile;
using test::SoundBlock;
using test::SoundLog;

constexpr std::uint64_t kBlocks = 8;
constexpr std::uint64_t kRecords = 50;  // of each

const SoundLog& sound() {
  static const SoundLog log(test::with_indexes(test::numbered_log(kBlocks, kRecords), 100));
  return log;
}

// Returns the log with a bit flipped in the middle of the `n`-th data block.
std::string damaged_in(std::size_t n) {
  std::string bytes = sound().bytes;
  for (const SoundBlock& block : sound().blocks) {
    if (block.is_data() && n-- == 0) {
      bytes[(block.begin + block.payload_end) / 2] ^= 4;
    }
  }
  return bytes;
}

// The numbers that are shown by a merge, and those that a walk block by block gives.
std::multiset<std::uint64_t> numbers(const LogSet& logs, bool sort) {
  std::multiset<std::uint64_t> numbers;
  ReadOptions options;
  options.sort = sort;
  Merge merge(logs, options);
  Slice slice;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      text::Value value;
      slice.block->values(i, &value);
      numbers.insert(value.bits);
    }
  }
  return numbers;
}

std::multiset<std::uint64_t> all_numbers() {
  std::multiset<std::uint64_t> all;
  for (std::uint64_t i = 0; i < kBlocks * kRecords; ++i) all.insert(i);
  return all;
}

void expect_union(const std::vector<std::string>& files) {
  for (const OpenOptions& options : {kByIndex, kCheckAll}) {
    std::vector<std::unique_ptr<MemoryFile>> opened;
    LogSet logs(options);
    for (const std::string& bytes : files) {
      opened.push_back(std::make_unique<MemoryFile>(bytes));
      ASSERT_TRUE(logs.add(opened.back()->path()).ok());
    }
    std::uint64_t records = 0;
    for (const auto& file : logs.files()) records += find_losses(*file, {}).records;
    EXPECT_EQ(records, kBlocks * kRecords);
    EXPECT_EQ(numbers(logs, true), all_numbers());
    EXPECT_EQ(numbers(logs, false), all_numbers());
  }
}

TEST(Copies, ADamagedOneHidesNothingOfAnIntactOne) {
  for (const std::size_t n : {0, 3, 7}) {
    SCOPED_TRACE(n);
    const std::string damaged = damaged_in(n);
    expect_union({damaged, sound().bytes});
    expect_union({sound().bytes, damaged});
    expect_union({damaged + sound().bytes});
    expect_union({sound().bytes + damaged});
  }
}

TEST(Copies, TwoThatAreDamagedMakeOneThatIsNot) {
  expect_union({damaged_in(2), damaged_in(5)});
  expect_union({damaged_in(5), damaged_in(2)});
  expect_union({damaged_in(2) + damaged_in(5)});
  expect_union({damaged_in(1), damaged_in(2), damaged_in(3)});
}

TEST(Copies, OneWhoseSessionBlockIsDamagedIsStillACopy) {
  std::string damaged = sound().bytes;
  damaged[30] ^= 1;
  expect_union({damaged, sound().bytes});
  expect_union({sound().bytes, damaged});
  expect_union({damaged + sound().bytes});
  expect_union({sound().bytes + damaged});
}

// Returns the log with a bit flipped in each block of this type, or only in those from the `from`-th on.
std::string damaged_blocks(const SoundLog& log, format::BlockType type, std::size_t from) {
  std::string bytes = log.bytes;
  for (const SoundBlock& block : log.blocks) {
    if (block.type == type && from-- == 0) {
      from = 0;
      bytes[(block.begin + block.payload_end) / 2] ^= 4;
    }
  }
  return bytes;
}

std::string log_of_shared_strings() {
  test::FileBuilder b(false, true);
  b.session().site(16, Level::kInfo, "{} said", "S").thread(0, 1, "a");
  for (std::uint64_t i = 0; i < 4000; ++i) {
    b.log(0, 16, test::FileBuilder::kStart + i, test::Args().text("client " + std::to_string(i * 7919 % 100)));
    if (i % 1000 == 999) b.flush();
  }
  return b.end().bytes();
}

// Statements, loggers, names of threads, strings and the clock: what one has lost of them the other has.
TEST(Copies, ADamagedOneTakesNothingFromTheRecordsOfAnIntactOne) {
  using format::BlockType;
  for (const std::string& bytes : {test::small_log(false), test::small_log(true), log_of_shared_strings()}) {
    const SoundLog log(bytes);
    const std::vector<test::Shown> all = log.read.shown();
    for (const BlockType type : {BlockType::kSession, BlockType::kDictionary, BlockType::kClock, BlockType::kStrings}) {
      for (const std::size_t from : {0, 1, 2}) {
        SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)) + " from " + std::to_string(from));
        const MemoryFile damaged(damaged_blocks(log, type, from));
        const MemoryFile intact(log.bytes);
        for (const auto& files : {std::pair(&damaged, &intact), std::pair(&intact, &damaged)}) {
          LogSet logs;
          ASSERT_TRUE(logs.add(files.first->path()).ok());
          ASSERT_TRUE(logs.add(files.second->path()).ok());
          EXPECT_EQ(test::shown(logs), all);
        }
      }
    }
  }
}

}  // namespace
}  // namespace steno::reader
