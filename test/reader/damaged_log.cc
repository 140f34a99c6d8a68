#include "damaged_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "file_builder.h"
#include "memory_count.h"
#include "memory_file.h"
#include "reader/merge.h"
#include "reader/message.h"
#include "reader/statistics.h"

namespace steno::test {

using format::BlockType;
using reader::LogFile;

namespace {

Shown show(const reader::Slice& slice, std::uint32_t i, bool text, ByteBuffer& message) {
  const reader::DecodedGroup& group = slice.block->group(i);
  Shown shown;
  shown.wall = slice.block->wall(i);
  shown.ticks = slice.block->ticks(i);
  std::vector<text::Value> values(group.columns);
  slice.block->values(i, values.data());
  if (!text) return shown;
  shown.who =
      std::string(level_name(group.site->info().level)) + " " + group.logger->info.name + " " + slice.thread->display();
  message.clear();
  append_message(group, values, message);
  shown.what.assign(reinterpret_cast<const char*>(message.data()), message.size());
  return shown;
}

void merge(const reader::LogSet& logs, bool text, ReadLog* result) {
  reader::Merge merge(logs, {});
  reader::Slice slice;
  ByteBuffer message;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      result->records.emplace_back(Place{slice.block->entry().offset, i}, show(slice, i, text, message));
    }
  }
  for (const reader::DecodeFailure& failure : merge.failures()) result->damage.push_back(failure.damage);
}

// Adds damaged blocks that an index hid from the scan.
void add_damaged_blocks(const LogFile& file, ReadLog* result) {
  for (const reader::BlockEntry& entry : file.blocks()) {
    if (!file.is_damaged(entry)) continue;
    result->damage.push_back({reader::DamageKind::kBytes, entry.header_offset(), entry.total_size(),
                              file.open_block(entry).status().message()});
  }
}

}  // namespace

void PrintTo(const Shown& shown, std::ostream* out) {
  *out << shown.wall << ' ' << shown.ticks << ' ' << shown.who << ": " << shown.what;
}

std::vector<Shown> ReadLog::shown() const {
  std::vector<Shown> all;
  for (const auto& [place, record] : records) all.push_back(record);
  return all;
}

std::vector<Shown> shown(const reader::LogSet& logs) {
  ReadLog read;
  merge(logs, true, &read);
  return read.shown();
}

ReadLog read_log(const std::string& bytes, bool text, const reader::OpenOptions& options) {
  ReadLog result;
  const MemoryFile file(bytes);
  reset_peak();
  const std::size_t before = held_bytes();
  {
    reader::LogSet logs(options);
    if (logs.add(file.path()).ok()) {
      result.opened = true;
      result.damage = logs.files()[0]->damage();
      merge(logs, text, &result);
      result.losses = find_losses(*logs.files()[0], {.drops = true, .content = true});
      (void)collect_statistics(*logs.files()[0]);
      add_damaged_blocks(*logs.files()[0], &result);
    }
  }
  result.peak_bytes = peak_bytes() - before;
  return result;
}

SoundLog::SoundLog(std::string file) : bytes(std::move(file)), read(read_log(bytes)) {
  reader::BlockScanner scanner({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  std::size_t sessions = 0;
  std::map<std::uint64_t, std::size_t> by_payload;
  while (const auto scanned = scanner.next()) {
    SoundBlock block;
    block.type = scanned->header.type;
    sessions += block.type == BlockType::kSession ? 1 : 0;
    block.session = sessions - 1;
    block.begin = scanned->offset;
    block.payload_end = block.begin + format::kBlockHeaderSize + scanned->header.length;
    block.end = block.begin + scanned->header.total_size();
    by_payload[block.begin + format::kBlockHeaderSize] = blocks.size();
    blocks.push_back(block);
  }
  const MemoryFile opened(bytes);
  reader::Ordinals ordinals;
  const auto log = LogFile::open(opened.path(), &ordinals);
  for (const reader::RunEntry& run : log.value()->runs()) {
    SoundBlock& block = blocks[by_payload[log.value()->blocks()[run.block].offset]];
    const auto [ring, added] = block.rings.try_emplace(run.ring, run.first_seq, 0);
    ring->second.second += run.records;
    block.records += run.records;
  }
}

std::string numbered_log(std::uint64_t blocks, std::uint64_t records, std::uint64_t factor) {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "number {}", "m").thread(0, 1, "t");
  for (std::uint64_t i = 0; i < blocks * records; ++i) {
    b.log(0, 16, FileBuilder::kStart + i, Args().u64(i * factor));
    if (i % records == records - 1) b.flush();
  }
  return b.end().bytes();
}

std::set<std::size_t> SoundLog::touched(const std::string& damaged) const {
  std::set<std::size_t> touched;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const SoundBlock& block = blocks[i];
    const std::size_t size = block.payload_end - block.begin;
    if (block.payload_end > damaged.size() || bytes.compare(block.begin, size, damaged, block.begin, size) != 0) {
      touched.insert(i);
    }
  }
  return touched;
}

std::string SoundLog::piece(std::size_t index) const {
  return bytes.substr(blocks[index].begin, blocks[index].end - blocks[index].begin);
}

format::SessionTag tag_at(const std::string& bytes, std::size_t offset) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data()) + offset;
  format::BlockHeader header;
  EXPECT_TRUE(format::parse_header(p, bytes.size() - offset, &header));
  return {header.session_tag, format::mark_of(p, header)};
}

std::string small_log(bool rows, bool renamed) {
  FileBuilder b(rows);
  for (std::uint64_t session = 1; session <= 2; ++session) {
    format::ClockPoint point;
    point.ticks = 1000;
    point.wall_ns = FileBuilder::kStart + static_cast<std::int64_t>(session) * 1'000'000'000;
    point.ns_per_tick = 0.4;
    point.uncertainty_ns = 120;
    b.session(session, 1).clock({point});
    b.site(16, Level::kInfo, "{} said {}", "mS")
        .site(17, Level::kError, "%d of %.1f", "id", 0, wire::Style::kPrintf)
        .site(18, Level::kDebug, "none", "");
    b.logger(1, "net").thread(0, 1, "a").thread(1, 2, "b");
    for (int block = 0; block < 3; ++block) {
      const std::uint64_t t = 2000 + session + static_cast<std::uint64_t>(block) * 1000;
      b.log(0, 16, t, Args().u64(t).text("x" + std::to_string(t)));
      b.log(1, 17, t + 10, Args().i32(block).f64(0.5), 1);
      b.log(0, 18, t + 20);
      if (block == 1) b.log(1, wire::kSiteDropped, t + 30, Args().u64(12).u64(t));
      b.log(1, 16, t + 40, Args().u64(t).null_text());
      b.flush();
      if (block == 1 && renamed) b.thread(1, 2, "renamed");
    }
    point.ticks += 5000;
    point.wall_ns += 2001;
    b.clock({point}).end(12);
  }
  return b.bytes();
}

namespace {

bool has(const SoundLog& sound, const std::set<std::size_t>& lost, std::size_t session, BlockType type) {
  return std::any_of(lost.begin(), lost.end(),
                     [&](std::size_t i) { return sound.blocks[i].session == session && sound.blocks[i].type == type; });
}

// The properties of a session's records that must be unchanged.
struct Whole {
  bool texts = true;  // else the dictionary is damaged: rows cannot be read, columns have no text
  bool times = true;
};

bool same(const Shown& a, const Shown& b, const Whole& whole) {
  if (a.ticks != b.ticks) return false;
  if (whole.times && a.wall != b.wall) return false;
  if (!whole.texts) return true;
  // A record of drops says when they began.
  const std::string text = whole.times ? a.what : a.what.substr(0, a.what.find(" since "));
  return a.who == b.who && b.what.starts_with(text) && (!whole.times || a.what == b.what);
}

// The damage that is named covers the lost blocks and nothing else; filling may go either way.
bool names_exactly(const SoundLog& sound, const std::set<std::size_t>& lost, const ReadLog& damaged) {
  std::vector<std::pair<std::size_t, std::size_t>> named;
  for (const reader::Damage& damage : damaged.damage) {
    if (damage.kind == reader::DamageKind::kContent) continue;  // a rows block whose dictionary is damaged
    named.emplace_back(damage.offset, damage.offset + damage.size);
  }
  const auto covers = [&](std::size_t begin, std::size_t end) {
    return std::any_of(named.begin(), named.end(),
                       [&](const auto& range) { return range.first <= begin && end <= range.second; });
  };
  for (std::size_t i = 0; i < sound.blocks.size(); ++i) {
    const SoundBlock& block = sound.blocks[i];
    const bool is_lost = lost.count(i) != 0;
    // If a file was cut, the bytes after the cut cannot be named.
    if (is_lost && !covers(block.begin, block.begin + 1) && damaged.opened) return false;
    if (!is_lost && std::any_of(named.begin(), named.end(), [&](const auto& range) {
          return range.first < block.payload_end && block.begin < range.second;
        })) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool expect_all_but(const SoundLog& sound, const std::set<std::size_t>& lost, const ReadLog& damaged) {
  const int failures_before = testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  EXPECT_TRUE(names_exactly(sound, lost, damaged));
  std::map<Place, const Shown*> found;
  for (const auto& [place, record] : damaged.records) {
    EXPECT_TRUE(found.emplace(place, &record).second) << "shown twice";
  }
  std::map<std::uint64_t, std::size_t> block_of;  // by payload
  for (std::size_t i = 0; i < sound.blocks.size(); ++i) block_of[sound.blocks[i].begin + 16] = i;
  std::map<std::size_t, Whole> sessions;
  for (const SoundBlock& block : sound.blocks) {
    sessions[block.session] = {!has(sound, lost, block.session, BlockType::kDictionary),
                               !has(sound, lost, block.session, BlockType::kClock)};
  }
  std::size_t expected = 0;
  for (const auto& [place, record] : sound.read.records) {
    const std::size_t block = block_of[place.first];
    const auto at = found.find(place);
    if (lost.count(block) != 0) {
      EXPECT_TRUE(at == found.end()) << "of a damaged block: " << record.what;
      continue;
    }
    const Whole& whole = sessions[sound.blocks[block].session];
    if (!whole.texts && sound.blocks[block].type == BlockType::kRows && at == found.end()) continue;
    EXPECT_TRUE(at != found.end()) << "missing: " << record.what;
    if (at == found.end()) continue;
    ++expected;
    EXPECT_TRUE(same(record, *at->second, whole)) << record.what << " became " << at->second->what;
  }
  EXPECT_EQ(found.size(), expected);
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() == failures_before;
}

void expect_exact_losses(const SoundLog& sound, const SoundBlock& lost, const ReadLog& damaged) {
  EXPECT_EQ(damaged.losses.lost, sound.read.losses.lost + lost.records);
  EXPECT_EQ(damaged.losses.records, sound.read.losses.records - lost.records);
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> missing;
  for (const reader::Loss& loss : damaged.losses.losses) {
    if (loss.cause != reader::LossCause::kMissing) continue;
    EXPECT_EQ(loss.session, lost.session);
    missing[loss.ring] = {loss.first_seq, loss.records};
  }
  EXPECT_EQ(missing, lost.rings);
}

}  // namespace steno::test
