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

// With a bit flipped in the middle of the `n`-th data block.
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

}  // namespace
}  // namespace steno::reader
