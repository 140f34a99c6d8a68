// The index blocks that a session leaves in its file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "format/index_block.h"
#include "log_test.h"
#include "reader/block_scanner.h"
#include "reader/log_file.h"
#include "reader/log_set.h"
#include "reader/merge.h"

namespace steno_test {
namespace {

using steno::reader::LogFile;
using steno::reader::OpenOptions;

class IndexTest : public LogTest {
 protected:
  // Logs about so many bytes of file that cannot be packed.
  void log_bytes(std::size_t bytes) {
    std::string text(1000, ' ');
    for (std::size_t written = 0; written < bytes; written += text.size()) {
      for (char& c : text) c = static_cast<char>(next());
      STENO_INFO("{}", text);
    }
  }

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }

  // Opens it by its index, and without; they must agree. What was found.
  struct Found {
    std::size_t index_blocks = 0;
    std::size_t indexed = 0;
    std::size_t blocks = 0;
    std::uint64_t records = 0;
  };
  Found open() {
    steno::reader::Ordinals ordinals;
    const auto fast = LogFile::open(path(), &ordinals, {}, OpenOptions{0});
    const auto slow = LogFile::open(path(), &ordinals, {}, steno::reader::kCheckAll);
    EXPECT_TRUE(fast.ok() && slow.ok());
    const LogFile& a = **fast;
    const LogFile& b = **slow;
    EXPECT_TRUE(a.damage().empty());
    EXPECT_TRUE(b.damage().empty());
    EXPECT_EQ(a.sessions().size(), b.sessions().size());
    EXPECT_EQ(a.blocks().size(), b.blocks().size());
    EXPECT_EQ(a.runs().size(), b.runs().size());
    Found found;
    for (std::size_t i = 0; i < a.blocks().size() && !HasFailure(); ++i) {
      EXPECT_EQ(a.blocks()[i].offset, b.blocks()[i].offset);
      EXPECT_EQ(a.blocks()[i].levels, b.blocks()[i].levels);
      EXPECT_EQ(a.blocks()[i].min_clock, b.blocks()[i].min_clock);
      EXPECT_EQ(a.blocks()[i].max_clock, b.blocks()[i].max_clock);
      EXPECT_TRUE(a.open_block(a.blocks()[i]).ok());
      const auto said = a.sites_of(a.blocks()[i]);
      const auto there = b.sites_of(b.blocks()[i]);
      EXPECT_FALSE(said.empty());
      EXPECT_TRUE(std::equal(said.begin(), said.end(), there.begin(), there.end()));
      found.indexed += a.blocks()[i].indexed ? 1 : 0;
      found.records += a.blocks()[i].records;
    }
    found.blocks = a.blocks().size();
    found.index_blocks = a.count_of(static_cast<std::uint8_t>(steno::format::BlockType::kIndex)).blocks;
    return found;
  }

 private:
  std::uint64_t state_ = 88172645463325252ull;
};

TEST_F(IndexTest, ShortSessionsLeaveNone) {
  start();
  log_bytes(100'000);
  steno::stop();
  EXPECT_EQ(open().index_blocks, 0u);
}

TEST_F(IndexTest, OneAtTheEndCoversAll) {
  start();
  log_bytes(3 << 20);
  steno::stop();
  const Found found = open();
  EXPECT_EQ(found.index_blocks, 1u);
  EXPECT_EQ(found.indexed, found.blocks);
  EXPECT_GT(found.blocks, 1u);
}

// The records of a statement with several loggers are counted together.
TEST_F(IndexTest, SaysTheStatementsOfBlocks) {
  start();
  const steno::Logger loggers[] = {steno::logger("a"), steno::logger("b")};
  for (int i = 0; i < 1000; ++i) {
    STENO_LOG_TO(loggers[i % 2], INFO, "of two {}", i);
    if (i % 10 == 0) STENO_WARN("seldom {}", i);
  }
  log_bytes(3 << 20);
  steno::stop();
  steno::reader::Ordinals ordinals;
  const auto log = LogFile::open(path(), &ordinals, {}, OpenOptions{0});
  ASSERT_TRUE(log.ok());
  std::map<std::string, std::uint64_t> records;
  for (const auto& block : (*log)->blocks()) {
    ASSERT_TRUE(block.indexed);
    for (const auto& count : (*log)->sites_of(block)) {
      records[(*log)->sessions()[0]->dictionary.site(count.site, block.offset)->info().format] += count.records;
    }
    EXPECT_TRUE((*log)->open_block(block).ok()) << "it holds against the block";
  }
  EXPECT_EQ(records["of two {}"], 1000u);
  EXPECT_EQ(records["seldom {}"], 100u);
}

TEST_F(IndexTest, OneAfterTheOther) {
  steno::Options options;
  options.ring_bytes = 4 << 20;
  start(options);
  log_bytes(140 << 20);
  EXPECT_TRUE(steno::flush().ok());
  const Found running = open();  // as one that was killed
  EXPECT_EQ(running.index_blocks, 2u);
  EXPECT_GT(running.indexed, running.blocks / 2);
  EXPECT_LT(running.indexed, running.blocks);
  steno::stop();
  const Found ended = open();
  EXPECT_EQ(ended.index_blocks, 3u);
  EXPECT_EQ(ended.indexed, ended.blocks);
  const auto file = steno::MappedFile::open(path());
  ASSERT_TRUE(file.ok());
  std::vector<std::uint64_t> places;  // each index names those before it
  steno::reader::BlockScanner scanner(file->bytes());
  while (const auto block = scanner.next()) {
    if (block->header.type != steno::format::BlockType::kIndex) continue;
    const auto index = steno::format::parse_index_block(block->payload);
    ASSERT_TRUE(index.ok());
    EXPECT_EQ(index->earlier, places);
    places.insert(places.begin(), block->offset);
  }
  EXPECT_EQ(places.size(), 3u);
}

// Bytes of the file that this process has touched in its mappings of it.
std::size_t touched_bytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  std::size_t kib = 0;
  bool of_the_file = false;
  while (std::getline(maps, line)) {
    if (line.find(':') > line.find(' ')) {  // else a property of the mapping before: "Rss:   12 kB"
      of_the_file = line.size() > path.size() && line.compare(line.size() - path.size(), path.size(), path) == 0;
    } else if (of_the_file && line.rfind("Rss:", 0) == 0) {
      kib += std::stoul(line.substr(4));
    }
  }
  return kib * 1024;
}

// If the file is not in memory, only the parts that are used are read from the disk: the first line of a large log
// comes at once.
TEST_F(IndexTest, TheFirstRecordsNeedLittleOfTheFile) {
  start();
  log_bytes(32 << 20);
  steno::stop();
  steno::reader::LogSet logs(OpenOptions{0});
  ASSERT_TRUE(logs.add(path()).ok());
  steno::reader::ReadOptions options;
  options.slab_records = 500;  // half a megabyte of these
  steno::reader::Merge merge(logs, options);
  steno::reader::Slice slice;
  ASSERT_TRUE(merge.next(&slice));
  const std::size_t size = std::filesystem::file_size(path());
  EXPECT_GT(touched_bytes(path()), 0u);
  EXPECT_LT(touched_bytes(path()), size / 2);  // the kernel maps up to 2 MiB around what is touched
  while (merge.next(&slice)) {
  }
  EXPECT_GT(touched_bytes(path()), size - size / 4);
}

TEST_F(IndexTest, SeveralSessionsInOneFile) {
  for (int session = 0; session < 3; ++session) {
    start();
    log_bytes(session == 1 ? 1000 : 2 << 20);
    steno::stop();
  }
  const Found found = open();
  EXPECT_EQ(found.index_blocks, 2u);
  EXPECT_GT(found.indexed, 0u);
  EXPECT_LT(found.indexed, found.blocks);  // those of the short one have no index
}

}  // namespace
}  // namespace steno_test
