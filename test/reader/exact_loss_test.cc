// A loss is stated as a number only where that is known; else as a lower bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "damaged_log.h"
#include "file_builder.h"
#include "indexed_log.h"
#include "memory_file.h"
#include "reader/log_set.h"
#include "reader/statistics.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::read_log;
using test::ReadLog;
using test::SoundBlock;
using test::SoundLog;

constexpr std::uint64_t kSoundBlocks = 6;
constexpr std::uint64_t kRecordsOfBlock = 100;  // of each

const SoundLog& sound_log() {
  static const SoundLog log(test::numbered_log(kSoundBlocks, kRecordsOfBlock, 0x9E3779B97F4A7C15));
  return log;
}

const SoundBlock& data_block(std::size_t n) {
  for (const SoundBlock& block : sound_log().blocks) {
    if (block.is_data() && n-- == 0) return block;
  }
  throw std::out_of_range("no such block");
}

std::string flipped(std::size_t at) {
  std::string bytes = sound_log().bytes;
  bytes[at] ^= 1;
  return bytes;
}

TEST(ExactLoss, AFlipInABlockIsExact) {
  for (const std::size_t at : {data_block(2).begin + 40, data_block(2).begin + 14}) {
    const ReadLog read = read_log(flipped(at));
    EXPECT_EQ(read.losses.lost, kRecordsOfBlock);
    EXPECT_TRUE(read.losses.exact);
  }
}

TEST(ExactLoss, DamageAndACutTogetherAreALowerBound) {
  const std::string cut = flipped(data_block(1).begin + 40).substr(0, data_block(4).begin);
  const ReadLog read = read_log(cut);
  EXPECT_EQ(read.losses.lost, kRecordsOfBlock);
  EXPECT_FALSE(read.losses.exact);
}

TEST(ExactLoss, WhatMayHaveHeldAnotherSessionIsALowerBound) {
  // A whole session is followed by another one, all of it zeroed: nothing shows that it was there.
  FileBuilder other;
  other.session(0x77).site(16, Level::kInfo, "number {}", "m").thread(0, 1, "t");
  for (std::uint64_t i = 0; i < kRecordsOfBlock; ++i) other.log(0, 16, FileBuilder::kStart + i, Args().u64(i));
  std::string bytes = sound_log().bytes + std::string(other.end().size(), '\0');
  EXPECT_FALSE(read_log(bytes).losses.exact);
  FileBuilder third;
  third.session(0x78).site(16, Level::kInfo, "third {}", "m").thread(0, 1, "t");
  bytes += third.log(0, 16, FileBuilder::kStart, Args().u64(1)).end().bytes();
  const ReadLog read = read_log(bytes);
  EXPECT_FALSE(read.losses.complete());
  EXPECT_FALSE(read.losses.exact);
}

TEST(ExactLoss, AnIndexKnowsWhatAHoleHeld) {
  const SoundLog indexed(test::with_indexes(sound_log().bytes, 100));
  std::string bytes = indexed.bytes;
  std::uint64_t lost = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const SoundBlock& block : indexed.blocks) {
    if (!block.is_data() || lost == 3 * kRecordsOfBlock) continue;
    if (lost == 0) begin = block.begin;
    end = block.end;
    lost += block.records;
  }
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end), '\0');
  const ReadLog read = read_log(bytes, true, kCheckAll);
  EXPECT_EQ(read.losses.lost, 3 * kRecordsOfBlock);
  EXPECT_TRUE(read.losses.exact);
}

TEST(ExactLoss, RecordsWithoutTheirTextAreNamed) {
  std::size_t dictionary = 0;
  while (sound_log().blocks[dictionary].type != format::BlockType::kDictionary) ++dictionary;
  const ReadLog read = read_log(flipped(sound_log().blocks[dictionary].begin + 20));
  EXPECT_EQ(read.losses.lost, 0u);
  EXPECT_EQ(read.losses.unprintable, kSoundBlocks * kRecordsOfBlock);
  EXPECT_FALSE(read.losses.complete());
  // An index says the levels that are not known any more.
  std::string indexed = test::with_indexes(sound_log().bytes, 100);
  const SoundLog whole(indexed);
  for (const SoundBlock& block : whole.blocks) {
    if (block.type == format::BlockType::kDictionary) indexed[block.begin + 20] ^= 1;
  }
  const ReadLog again = read_log(indexed, true, kCheckAll);
  EXPECT_EQ(again.losses.unprintable, kSoundBlocks * kRecordsOfBlock);
  for (const Damage& damage : again.damage) EXPECT_EQ(damage.reason.find("index"), std::string::npos) << damage.reason;
}

TEST(Copies, StatisticsCountEachRecordOnce) {
  const SoundBlock& block = data_block(3);
  const test::MemoryFile file(sound_log().bytes + sound_log().bytes.substr(block.begin, block.end - block.begin));
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  const Statistics stats = collect_statistics(*logs.files()[0]);
  EXPECT_EQ(stats.records, kSoundBlocks * kRecordsOfBlock);
  EXPECT_EQ(stats.repeated, kRecordsOfBlock);
  EXPECT_EQ(stats.by_level[static_cast<int>(Level::kInfo)], kSoundBlocks * kRecordsOfBlock);
  ASSERT_EQ(stats.sites.size(), 1u);
  EXPECT_EQ(stats.sites[0].records, kSoundBlocks * kRecordsOfBlock);
}

}  // namespace
}  // namespace steno::reader
