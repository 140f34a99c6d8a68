// Files that are opened by their index: what is read is what a walk through everything finds.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "../random_cases.h"
#include "damaged_log.h"
#include "file_builder.h"
#include "format/index_block.h"
#include "indexed_log.h"
#include "memory_file.h"

namespace steno::reader {
namespace {

using format::BlockType;
using test::Args;
using test::FileBuilder;
using test::kByIndex;
using test::read_log;
using test::ReadLog;
using test::SoundLog;
using test::with_indexes;

std::size_t indexed_blocks(const std::string& bytes) {
  const test::MemoryFile file(bytes);
  Ordinals ordinals;
  const auto log = LogFile::open(file.path(), &ordinals, {}, kByIndex);
  const auto& blocks = log.value()->blocks();
  return static_cast<std::size_t>(std::count_if(blocks.begin(), blocks.end(), [](const auto& b) { return b.indexed; }));
}

// Two sessions that write in turns, as a process and its forked child do.
std::string interleaved_log() {
  FileBuilder b(false);
  for (int block = 0; block < 12; ++block) {
    const std::uint64_t id = block / 3 % 2 + 1;
    if (block % 3 == 0) b.session(id, 3).site(16, Level::kInfo, "{}", "i").thread(0, 1, "t");
    b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(block), Args().i32(block)).flush();
  }
  return b.bytes();
}

TEST(IndexTest, SaysWhatAWalkFinds) {
  for (const std::string& bytes : {test::small_log(false), test::small_log(true), interleaved_log()}) {
    const ReadLog plain = read_log(bytes);
    for (const std::size_t every : {1u, 2u, 3u, 5u, 100u}) {
      SCOPED_TRACE(every);
      const std::string indexed = with_indexes(bytes, every);
      EXPECT_GT(indexed_blocks(indexed), 0u);
      for (const OpenOptions& options : {kByIndex, kCheckAll}) {
        const ReadLog read = read_log(indexed, true, options);
        EXPECT_EQ(read.shown(), plain.shown());
        for (const Damage& damage : read.damage) ADD_FAILURE() << damage.offset << ' ' << damage.reason;
        EXPECT_EQ(read.losses.lost, plain.losses.lost);
        EXPECT_EQ(read.losses.losses.size(), plain.losses.losses.size());
        EXPECT_EQ(read.losses.records, plain.losses.records);
      }
    }
  }
}

TEST(IndexTest, OnlyLargeFilesUseIt) {
  const std::string indexed = with_indexes(test::small_log(false), 4);
  const test::MemoryFile file(indexed);
  Ordinals ordinals;
  const auto log = LogFile::open(file.path(), &ordinals);
  for (const BlockEntry& block : log.value()->blocks()) EXPECT_FALSE(block.indexed);
}

// A file of some 1.6 MB, or a small one.
std::string indexed_session(std::uint64_t id, std::uint64_t records) {
  FileBuilder b(false);
  b.session(id, 3).site(16, Level::kInfo, "{}", "m").thread(0, 1, "t");
  std::mt19937_64 random(id);
  for (std::uint64_t i = 1; i <= records; ++i) {
    b.log(0, 16, FileBuilder::kStart + i, Args().u64(random()));
    if (i % 10'000 == 0) b.flush();
  }
  return with_indexes(b.end().bytes(), 10);
}

TEST(IndexTest, SetsUseItOnceMuchWasChecked) {
  const std::uint64_t records[] = {200'000, 200'000, 10, 200'000};
  for (const OpenOptions& options : {OpenOptions{.index_from = 3 << 20}, kCheckAll}) {
    LogSet logs(options);
    for (std::uint64_t n = 0; n < std::size(records); ++n) {
      const test::MemoryFile file(indexed_session(n + 1, records[n]));
      ASSERT_TRUE(logs.add(file.path()).ok());
      const auto& blocks = logs.files()[n]->blocks();
      const bool by_index = options.index_from != UINT64_MAX && (n == 1 || n == 3);
      EXPECT_EQ(blocks[0].indexed, by_index) << n;
      const LossReport report = find_losses(*logs.files()[n], {});
      EXPECT_EQ(report.records, records[n]);
      EXPECT_TRUE(report.losses.empty() && report.exact) << n;
    }
  }
}

TEST(IndexTest, OneThatHasMovedSaysNothing) {
  // `cat a.steno b.steno > c.steno` makes such a file.
  const std::string indexed = with_indexes(test::small_log(false), 4);
  FileBuilder first;
  first.session(0x99).site(16, Level::kInfo, "first {}", "i").thread(0, 1, "t");
  first.log(0, 16, FileBuilder::kStart, Args().i32(1)).end();
  const std::string both = first.bytes() + indexed;
  EXPECT_EQ(indexed_blocks(both), 0u);
  for (const OpenOptions& options : {kByIndex, kCheckAll}) {
    const ReadLog read = read_log(both, true, options);
    EXPECT_TRUE(read.damage.empty());
    EXPECT_EQ(read.records.size(), read_log(indexed).records.size() + 1);
  }
}

TEST(IndexTest, OneThatContradictsTheBlocksIsReported) {
  // Both logs are equal but for one value, so that all lengths are alike; the index of one is in the file of the other.
  const auto log = [](std::uint64_t tick) {
    FileBuilder b(false);
    b.session(1, 3).site(16, Level::kInfo, "{}", "i").thread(0, 1, "t");
    for (int block = 0; block < 4; ++block) {
      b.log(0, 16, FileBuilder::kStart + 100 * static_cast<std::uint64_t>(block) + tick, Args().i32(block)).flush();
    }
    return b.end().bytes();
  };
  const std::string a = with_indexes(log(3), 100);
  const std::string b = with_indexes(log(4), 100);
  ASSERT_EQ(a.size(), b.size());
  const SoundLog sound(a);
  std::string mixed = a;
  for (const auto& block : sound.blocks) {
    if (block.type == format::BlockType::kIndex) {
      mixed.replace(block.begin, block.end - block.begin, b, block.begin, block.end - block.begin);
    }
  }
  ASSERT_NE(mixed, a);
  const ReadLog whole = read_log(mixed, true, kCheckAll);
  EXPECT_EQ(whole.shown(), sound.read.shown());
  ASSERT_EQ(whole.damage.size(), 1u);
  EXPECT_NE(whole.damage[0].reason.find("index"), std::string::npos);
  // With the index, nothing that it lies about is shown, and all of it is reported.
  const ReadLog lazy = read_log(mixed, true, kByIndex);
  EXPECT_TRUE(lazy.records.empty());
  EXPECT_EQ(lazy.losses.lost, 4u);
}

// The payload of an index of two blocks: of three statements, and of one.
format::IndexBlock two_entries() {
  format::IndexBlock index;
  index.session_id = 1;
  index.begin = 64;
  index.entries = {{BlockType::kColumns, 40, 4, 10, 5, 9, 0, 1, 0, 3},
                   {BlockType::kClock, 24},
                   {BlockType::kRows, 16, 4, 4, 11, 12, 1, 1, 3, 1}};
  index.runs = {{0, 0, 10, 0, 100}, {0, 0, 4, 10, 140}};
  index.sites = {{16, 7}, {17, 1}, {4'000'000'000, 2}, {16, 4}};
  index.offset = index.begin;
  for (const format::IndexEntry& entry : index.entries) index.offset += entry.total_size();
  index.earlier = {60, 8};
  return index;
}

std::string payload_of(const format::IndexBlock& index) {
  ByteBuffer out;
  format::append_index_block(out, index, {});
  format::BlockHeader header;
  EXPECT_TRUE(format::parse_header(out.data(), out.size(), &header));
  return {reinterpret_cast<const char*>(out.data()) + format::kBlockHeaderSize, header.length};
}

Result<format::IndexBlock> parse(const std::string& payload) {
  return format::parse_index_block({reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()});
}

TEST(IndexBlock, HasStatementsAfterAllElse) {
  const format::IndexBlock index = two_entries();
  const std::string payload = payload_of(index);
  const auto parsed = parse(payload);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->sites, index.sites);
  EXPECT_EQ(parsed->earlier, index.earlier);
  EXPECT_EQ(parsed->entries[0].sites, 3u);
  EXPECT_EQ(parsed->entries[2].first_site, 3u);
  // An index that ends too early, as older writers' do, says all else.
  std::size_t without = 0;
  for (std::size_t size = payload.size() - 1; size != 0; --size) {
    const auto cut = parse(payload.substr(0, size));
    if (!cut.ok()) continue;
    ++without;
    EXPECT_EQ(cut->entries.size(), index.entries.size());
    EXPECT_TRUE(cut->sites.empty());
    for (const format::IndexEntry& entry : cut->entries) EXPECT_EQ(entry.sites, 0u);
  }
  EXPECT_GT(without, 14u);
}

TEST(IndexBlock, CountsOfLoggersAreMerged) {
  std::vector<format::SiteCount> sites = {{99, 1}, {40, 2}, {16, 1}, {40, 3}, {16, 5}, {17, 1}};
  format::merge_sites(&sites, 1);
  EXPECT_EQ(sites, (std::vector<format::SiteCount>{{99, 1}, {16, 6}, {17, 1}, {40, 5}}));
  format::merge_sites(&sites, 4);
  EXPECT_EQ(sites.size(), 4u);
  for (std::uint32_t i = 0; i < format::kMostSites; ++i) sites.push_back({1000 - i, 1});
  format::merge_sites(&sites, 4);
  EXPECT_EQ(sites.size(), 4 + format::kMostSites);
  sites.push_back({2000, 1});
  format::merge_sites(&sites, 4);
  EXPECT_EQ(sites.size(), 4u);
}

TEST(IndexBlock, StatementsThatDoNotAddUpAreNotSaid) {
  const auto broken = [](auto change) {
    format::IndexBlock index = two_entries();
    change(index);
    const auto parsed = parse(payload_of(index));
    ASSERT_TRUE(parsed.ok());
    EXPECT_TRUE(parsed->sites.empty());
    EXPECT_EQ(parsed->earlier, index.earlier);
    for (const format::IndexEntry& entry : parsed->entries) EXPECT_EQ(entry.sites, 0u);
  };
  broken([](auto& index) { index.sites[0].records = 8; });
  broken([](auto& index) { index.sites[1].records = 0; });
  broken([](auto& index) { index.sites[0].site = 0; });
  broken([](auto& index) { index.sites[1].site = 16; });
  broken([](auto& index) { index.sites[3].records = 5; });
  format::IndexBlock large = two_entries();  // of more records than a block may have
  large.runs[0].records = large.entries[0].records = large.sites[0].records = (1 << 22) + 3;
  large.sites[0].records -= 3;
  EXPECT_FALSE(parse(payload_of(large)).ok());
  format::IndexBlock index = two_entries();  // of one block they may lack
  index.entries[2].sites = 0;
  index.sites.pop_back();
  const auto parsed = parse(payload_of(index));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->sites, index.sites);
}

TEST(IndexTest, StatementsAreCheckedWithTheBlock) {
  FileBuilder b(false);
  b.session(1, 3).site(16, Level::kInfo, "{}", "i").site(17, Level::kInfo, "{}", "i").thread(0, 1, "t");
  for (int i = 0; i < 3; ++i) b.log(0, i == 0 ? 17 : 16, FileBuilder::kStart, Args().i32(i));
  const std::string sound = with_indexes(b.end().bytes(), 100);
  for (const auto& [site, records] : {std::pair(16u, 2u), std::pair(17u, 2u), std::pair(16u, 1u)}) {
    std::string bytes = sound;
    const SoundLog all(sound);
    for (const auto& block : all.blocks) {
      if (block.type != format::BlockType::kIndex) continue;
      auto index = parse(sound.substr(block.begin + format::kBlockHeaderSize, block.payload_end - block.begin - 16));
      ASSERT_TRUE(index.ok());
      ASSERT_EQ(index->sites.size(), 2u);
      index->sites = {{site, records}, {site + 1, 3 - records}};
      ByteBuffer other;
      format::append_index_block(other, *index, test::tag_at(sound, block.begin));
      ASSERT_EQ(other.size(), block.end - block.begin);
      std::memcpy(bytes.data() + block.begin, other.data(), other.size());
    }
    const ReadLog whole = read_log(bytes, true, kCheckAll);
    EXPECT_EQ(whole.records.size(), 3u);
    EXPECT_EQ(whole.damage.size(), bytes == sound ? 0u : 1u);
    const ReadLog read = read_log(bytes, true, kByIndex);
    EXPECT_EQ(bytes == sound, site == 16 && records == 2);
    const bool is_wrong = site == 16 && records == 1;  // what it says of a site that nobody declared, it does not say
    EXPECT_EQ(read.records.size(), is_wrong ? 0u : 3u);
    EXPECT_EQ(read.losses.lost, is_wrong ? 3u : 0u);
  }
}

// A hostile writer: the checksums hold, the index lies. What is shown is never other than what is there.
TEST(IndexTest, RandomContentUnderGoodChecksums) {
  const SoundLog sound(with_indexes(test::small_log(false), 5));
  std::mt19937 random(7);
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < sound.blocks.size(); ++i) {
    if (sound.blocks[i].type == format::BlockType::kIndex) indexes.push_back(i);
  }
  ASSERT_GE(indexes.size(), 2u);
  const std::vector<test::Shown> all = sound.read.shown();
  for (int round = 0; round < test::random_cases(5000); ++round) {
    std::string bytes = sound.bytes;
    const test::SoundBlock& block = sound.blocks[indexes[random() % indexes.size()]];
    const std::size_t length = block.payload_end - block.begin - format::kBlockHeaderSize;
    for (std::uint32_t n = 1 + random() % 3; n != 0; --n) {
      bytes[block.begin + 16 + random() % length] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    }
    ByteBuffer fixed;
    const std::size_t start = format::begin_block(fixed, block.type, test::tag_at(sound.bytes, block.begin));
    fixed.put_bytes(bytes.data() + block.begin + 16, length);
    format::end_block(fixed, start);
    std::memcpy(bytes.data() + block.begin, fixed.data(), fixed.size());
    const ReadLog read = read_log(bytes, true, kByIndex);
    ASSERT_TRUE(read.opened);
    ASSERT_LT(read.peak_bytes, std::size_t{1} << 22);
    const bool told = !read.damage.empty() || read.losses.losses.size() != sound.read.losses.losses.size();
    if (!told) {
      ASSERT_EQ(read.shown(), all) << "round " << round;
    }
    ASSERT_LE(read.records.size(), all.size());
  }
}

}  // namespace
}  // namespace steno::reader
