#include "indexed_log.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "memory_file.h"
#include "reader/block_scanner.h"

namespace steno::test {
namespace {

using format::BlockType;

class Indexer {
 public:
  Indexer(const reader::LogFile& file, std::size_t every, Earlier earlier)
      : file_(file), every_(every), earlier_(earlier) {
    for (const reader::BlockEntry& entry : file.blocks()) known_[entry.offset] = &entry;
  }

  std::string run(const std::string& bytes) {
    reader::BlockScanner scanner({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    while (const auto block = scanner.next()) {
      if (block->tag != tag_ || block->header.type == BlockType::kEnd) leave_index();
      if (block->header.type == BlockType::kSession) {
        const auto session = format::parse_session_block(block->payload);
        EXPECT_TRUE(session.ok());
        tag_ = block->tag;
        index_.session_id = session->session_id;
        index_.session_offset = out_.size();
        index_.begin = out_.size();
        index_.entries.clear();
        index_.runs.clear();
        index_.sites.clear();
        places_.clear();
      }
      add(*block);
      out_.put_bytes(bytes.data() + block->offset, block->header.total_size());
      if (index_.entries.size() >= every_) leave_index();
    }
    return {reinterpret_cast<const char*>(out_.data()), out_.size()};
  }

 private:
  void add(const reader::ScannedBlock& block) {
    format::IndexEntry entry;
    entry.type = block.header.type;
    entry.length = block.header.length;
    if (const auto known = known_.find(block.offset + format::kBlockHeaderSize); known != known_.end()) {
      const reader::BlockEntry& data = *known->second;
      entry.levels = data.levels;
      entry.records = data.records;
      entry.min_clock = data.min_clock;
      entry.max_clock = data.max_clock;
      entry.first_run = static_cast<std::uint32_t>(index_.runs.size());
      entry.runs = data.runs;
      for (std::uint64_t i = data.first_run; i < data.first_run + data.runs; ++i) {
        const reader::RunEntry& run = file_.runs()[i];
        index_.runs.push_back({run.thread, run.ring, run.records, run.first_seq, run.end});
      }
      add_sites(data, &entry);
    }
    index_.entries.push_back(entry);
  }

  // Each fifth block stays without, as if it had too many statements.
  void add_sites(const reader::BlockEntry& data, format::IndexEntry* entry) {
    if (++data_blocks_ % 5 == 0) return;
    const auto block = file_.open_block(data);
    ASSERT_TRUE(block.ok());
    std::map<std::uint32_t, std::uint32_t> records;
    for (const auto& group : block->groups()) records[group.site] += group.records;
    entry->first_site = static_cast<std::uint32_t>(index_.sites.size());
    entry->sites = static_cast<std::uint32_t>(records.size());
    for (const auto& [site, count] : records) index_.sites.push_back({site, count});
  }

  void leave_index() {
    if (index_.entries.empty()) return;
    index_.offset = out_.size();
    const std::size_t before = out_.size();
    name_earlier();
    format::append_index_block(out_, index_, tag_);
    places_.insert(places_.begin(), before);
    index_.begin = before;
    index_.runs.clear();
    index_.sites.clear();
    index_.entries.clear();
    format::BlockHeader header;
    EXPECT_TRUE(format::parse_header(out_.data() + before, out_.size() - before, &header));
    index_.entries.push_back({.type = BlockType::kIndex, .length = header.length});
  }

  void name_earlier() {
    index_.earlier.clear();
    if (earlier_ == Earlier::kNamed) index_.earlier = places_;
    if (earlier_ != Earlier::kWrong) return;
    for (std::uint64_t place = index_.offset; place > 8 && random_() % 8 != 0;) {
      place -= 1 + random_() % place;
      index_.earlier.push_back(place);
    }
  }

  const reader::LogFile& file_;
  const std::size_t every_;
  const Earlier earlier_;
  std::size_t data_blocks_ = 0;
  std::mt19937_64 random_{3};
  std::vector<std::uint64_t> places_;  // of the session's indexes, the last one first
  std::map<std::uint64_t, const reader::BlockEntry*> known_;
  ByteBuffer out_;
  format::IndexBlock index_;
  format::SessionTag tag_;
};

}  // namespace

std::string with_indexes(const std::string& bytes, std::size_t every, Earlier earlier) {
  const MemoryFile file(bytes);
  reader::Ordinals ordinals;
  const auto log = reader::LogFile::open(file.path(), &ordinals, {}, reader::kCheckAll);
  return Indexer(*log.value(), every, earlier).run(bytes);
}

}  // namespace steno::test
