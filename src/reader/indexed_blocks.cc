// A file opened by its index blocks: what they say is believed for the time being, and each data block is held against
// it when it is read first.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "base/read_advice.h"
#include "reader/block_prefetch.h"
#include "reader/corrupt.h"
#include "reader/log_file.h"

namespace steno::reader {

using format::BlockType;
using format::kBlockHeaderSize;

namespace {

// One header in so many is looked at when the file is opened: enough to notice that blocks have moved.
constexpr std::size_t kSample = 64;

bool same_run(const RunEntry& a, const format::Run& b) {
  return a.thread == b.thread && a.ring == b.ring && a.records == b.records && a.first_seq == b.first_seq &&
         a.end == b.end;
}

bool same_runs(std::span<const RunEntry> a, std::span<const format::Run> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_run);
}

// A level whose declaration is lost may be any.
bool agree(std::uint8_t there, std::uint8_t said) {
  return there == said || (there & Site::kNoLevelBit) != 0;
}

// Both agree where one side says nothing.
bool agree(std::span<const format::SiteCount> a, std::span<const format::SiteCount> b) {
  return a.empty() || b.empty() || std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// An index has them in order, each once; nothing said agrees with everything.
bool same_sites(std::span<const format::SiteCount> said, std::span<const format::DataBlock::GroupView> groups) {
  if (said.empty()) return true;
  std::vector<std::uint64_t> found(said.size());
  for (const auto& group : groups) {
    const auto at =
        std::lower_bound(said.begin(), said.end(), group.site,
                         [](const format::SiteCount& count, std::uint32_t site) { return count.site < site; });
    if (at == said.end() || at->site != group.site) return false;
    found[static_cast<std::size_t>(at - said.begin())] += group.records;
  }
  return std::equal(said.begin(), said.end(), found.begin(),
                    [](const format::SiteCount& count, std::uint64_t records) { return count.records == records; });
}

}  // namespace

// False: the file has no index, or is damaged in a way that takes a walk through all of it.
bool LogFile::scan_by_index(Ordinals* ordinals) {
  const ScatteredReads scattered(file_.is_copied() ? std::span<const std::uint8_t>() : file_.all());
  if (parts_.empty()) parts_ = find_parts(file_);
  const std::vector<FilePart> parts = std::exchange(parts_, {});
  if (parts.size() < 2) return false;
  return std::all_of(parts.begin(), parts.end(), [&](const FilePart& part) {
    return part.index ? take_indexed(part, ordinals) : scan_part(part, ordinals);
  });
}

void LogFile::fetch_parts() {
  if (!file_.is_remote()) return;
  parts_ = find_parts(file_);
  if (parts_.size() >= 2) load_declarations(parts_);
}

// All that is not data, at once: a round trip for each would take long.
void LogFile::load_declarations(const std::vector<FilePart>& parts) {
  std::vector<FileBytes::Piece> pieces;
  for (const FilePart& part : parts) {
    std::uint64_t at = part.begin;
    if (!part.index) {
      if (part.end - part.begin <= limits_.copied_bytes) pieces.push_back({part.begin, part.end - part.begin});
      continue;
    }
    for (const format::IndexEntry& entry : part.index->entries) {
      if (at >= part.index->offset) break;
      if (!entry.is_data()) pieces.push_back({at, std::min(entry.total_size(), part.index->offset - at)});
      at += entry.total_size();
    }
  }
  file_.load(pieces);
}

bool LogFile::scan_part(const FilePart& part, Ordinals* ordinals) {
  if (file_.is_copied() && part.end - part.begin > limits_.copied_bytes) return false;
  file_.load(part.begin, part.end - part.begin);
  if (!file_.is_copied()) read_soon(file_.all().subspan(part.begin, part.end - part.begin));
  BlockScanner scanner(file_.all(), part.begin, part.end);
  while (const auto block = scanner.next()) {
    if (!take(*block, ordinals).ok()) return false;
  }
  take_deferred();
  damage_.insert(damage_.end(), scanner.damage().begin(), scanner.damage().end());
  return std::all_of(damage_.begin(), damage_.end(), [](const Damage& damage) {
    return damage.kind == DamageKind::kTornTail || damage.kind == DamageKind::kCutShort;
  });
}

bool LogFile::take_indexed(const FilePart& part, Ordinals* ordinals) {
  const format::IndexBlock& index = *part.index;
  const std::uint16_t tag = part.tag.tag;
  std::uint64_t at = index.begin;
  for (const format::IndexEntry& entry : index.entries) {  // all at once, not one after another as they are looked at
    if (at >= index.offset) break;
    const std::uint64_t bytes = std::min(entry.total_size(), index.offset - at);
    if (!entry.is_data() && file_.is_copied()) file_.load(at, bytes);
    if (!entry.is_data() && !file_.is_copied()) read_soon(file_.all().subspan(at, bytes));
    at += entry.total_size();
  }
  at = index.begin;
  ScannedBlock block;
  for (std::size_t i = 0; i < index.entries.size(); at += index.entries[i++].total_size()) {
    const format::IndexEntry& entry = index.entries[i];
    if (!entry.is_data()) {
      if (!whole_block_at(at, entry, tag, &block) ||
          !format::checksum_holds(file_.all().data() + at, block.header, part.tag.mark)) {
        return false;
      }
      block.tag = part.tag;
      if (!take(block, ordinals).ok()) return false;
      continue;
    }
    const auto session = session_by_id_.find(index.session_id);
    if (session == session_by_id_.end()) return false;
    if (!file_.is_remote() && i % kSample == 0 && !whole_block_at(at, entry, tag, &block)) return false;
    count(entry.type, entry.total_size());
    BlockEntry known;
    known.offset = at + kBlockHeaderSize;
    known.length = entry.length;
    known.session = session->second;
    known.type = entry.type;
    known.mark = part.tag.mark;
    known.levels = entry.levels;
    known.indexed = true;
    known.records = entry.records;
    known.min_clock = entry.min_clock;
    known.max_clock = entry.max_clock;
    const auto runs = std::span(index.runs).subspan(entry.first_run, entry.runs);
    const Dictionary& dictionary = sessions_[known.session]->dictionary;
    for (const format::Run& run : runs) {
      if (dictionary.thread(run.thread, known.offset) == nullptr) return false;
    }
    if (!add_block(known, runs)) return false;
    add_sites(std::span(index.sites).subspan(entry.first_site, entry.sites));
  }
  take_deferred();
  return damage_.empty() || damage_.back().kind != DamageKind::kContent;
}

// Adds the statements of the block that came last; unless all are declared, they count as not said.
void LogFile::add_sites(std::span<const format::SiteCount> sites) {
  BlockEntry& block = blocks_.back();
  const Dictionary& dictionary = sessions_[block.session]->dictionary;
  const auto is_declared = [&](const format::SiteCount& count) {
    return dictionary.site(count.site, block.offset) != nullptr;
  };
  if (sites_.size() + sites.size() > UINT32_MAX || !std::all_of(sites.begin(), sites.end(), is_declared)) return;
  block.first_site = static_cast<std::uint32_t>(sites_.size());
  block.sites = static_cast<std::uint32_t>(sites.size());
  sites_.insert(sites_.end(), sites.begin(), sites.end());
}

// Losses are looked for in the blocks alone of which no index says that they report none.
void LogFile::note_reports() {
  for (const BlockEntry& block : blocks_) {
    const auto sites = sites_of(block);
    if (sites.empty()) continue;
    const bool reports =
        std::any_of(sites.begin(), sites.end(), [](const auto& count) { return is_report(count.site); });
    if (!reports) reports_of(block).store(Reports::kNone, std::memory_order_relaxed);
  }
}

void LogFile::forget_scan() {
  sessions_.clear();
  session_by_tag_.clear();
  session_by_id_.clear();
  blocks_.clear();
  runs_.clear();
  sites_.clear();
  damage_.clear();
  deferred_.clear();
  packed_.clear();
  indexed_parts_.clear();
  indexed_others_.clear();
  unknown_records_ = 0;
  std::fill(std::begin(counts_), std::end(counts_), BlockCount());
}

// Returns whether the header of such a block is at `offset` of the file, with room for its payload.
bool LogFile::whole_block_at(std::uint64_t offset, const format::IndexEntry& entry, std::uint16_t tag,
                             ScannedBlock* block) const {
  const auto bytes = file_.all();
  file_.load(offset, std::min<std::uint64_t>(kBlockHeaderSize, bytes.size() - offset));
  if (!format::parse_header(bytes.data() + offset, bytes.size() - offset, &block->header)) return false;
  block->offset = offset;
  if (block->header.length > bytes.size() - offset - kBlockHeaderSize) return false;
  block->payload = bytes.subspan(offset + kBlockHeaderSize, block->header.length);
  return block->header.type == entry.type && block->header.length == entry.length && block->header.session_tag == tag;
}

bool LogFile::is_declared(const BlockEntry& block, const format::DataBlock& data) const {
  const Dictionary& dictionary = sessions_[block.session]->dictionary;
  return std::all_of(data.groups().begin(), data.groups().end(), [&](const auto& group) {
    return dictionary.site(group.site, block.offset) != nullptr &&
           dictionary.logger(group.logger, block.offset) != nullptr;
  });
}

// Checked whole, each time: what was there when the file was opened may be something else now.
Result<format::DataBlock> LogFile::read_block(const BlockEntry& block, const BlockPrefetch* prefetch) const {
  const std::size_t size = kBlockHeaderSize + block.length;
  const auto known = prefetch != nullptr ? prefetch->find(*this, block) : std::span<const std::uint8_t>();
  if (!known.empty()) {
    std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[size]);
    std::memcpy(bytes.get(), known.data(), size);
    auto data = take_block(block, std::move(bytes));
    if (data.ok()) return data;
  }
  // From a source twice: a second answer tells what is damaged there from what was damaged, or exchanged, on the way.
  for (int attempt = is_remote() ? 1 : 2;; ++attempt) {
    std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[size]);  // libc++ 14 has no make_unique_for_overwrite
    const ByteSource::Range range = {block.header_offset(), size, bytes.get()};
    if (Status status = note(file_.read({&range, 1})); !status.ok()) return status;
    auto data = take_block(block, std::move(bytes));
    if (data.ok() || attempt == 2) return data;
  }
}

Result<format::DataBlock> LogFile::take_block(const BlockEntry& block, std::unique_ptr<std::uint8_t[]> bytes) const {
  const std::size_t size = kBlockHeaderSize + block.length;
  format::BlockHeader header;
  if (!format::parse_header(bytes.get(), size, &header) || header.type != block.type || header.length != block.length) {
    return corrupt(block.indexed ? "not the block that the index says is here" : "another block than before");
  }
  if (!format::checksum_holds(bytes.get(), header, block.mark)) return corrupt("checksum does not match");
  const Session& session = *sessions_[block.session];
  const LayoutsAt layouts(session.dictionary, block.offset);
  auto data =
      format::DataBlock::open(block.type, {bytes.get() + kBlockHeaderSize, block.length}, layouts, &session.strings);
  if (!data.ok()) return data;
  if (!is_declared(block, *data)) return corrupt("a statement that was not declared");
  if (Status status = check_indexed(block, *data); !status.ok()) return status;
  data->keep(std::move(bytes));
  return data;
}

Status LogFile::note(Status status) const {
  if (status.ok() || !is_remote()) return status;
  const std::lock_guard lock(failure_mutex_);
  if (source_failure_.ok()) source_failure_ = status;
  return status;
}

Status LogFile::source_failure() const {
  const std::lock_guard lock(failure_mutex_);
  return source_failure_;
}

void LogFile::forget_failure() const {
  const std::lock_guard lock(failure_mutex_);
  source_failure_ = Status();
}

Result<format::DataBlock> LogFile::peek_block(const BlockEntry& block) const {
  return is_in_copied_file(block) ? read_block(block) : view_block(block);
}

Result<format::DataBlock> LogFile::view_block(const BlockEntry& block) const {
  const LayoutsAt layouts(sessions_[block.session]->dictionary, block.offset);
  auto data = format::DataBlock::open(block.type, bytes(block.offset, block.length), layouts,
                                      &sessions_[block.session]->strings);
  if (data.ok() && block.indexed && !is_declared(block, *data)) return corrupt("a statement that was not declared");
  return data;
}

format::BlockHeader LogFile::header_of(const BlockEntry& block) const {
  format::BlockHeader header;
  const auto all = bytes(block.header_offset(), format::kBlockHeaderSize);
  (void)format::parse_header(all.data(), all.size(), &header);
  return header;
}

Result<format::DataBlock> LogFile::open_block(const BlockEntry& block, const BlockPrefetch* prefetch) const {
  auto data = open_block_of(block, prefetch);
  if (!data.ok()) return data;
  const auto& groups = data->groups();
  const bool reports = std::any_of(groups.begin(), groups.end(), [](const auto& g) { return is_report(g.site); });
  reports_of(block).store(reports ? Reports::kSome : Reports::kNone, std::memory_order_relaxed);
  return data;
}

// A source that fails says nothing of the block.
Result<format::DataBlock> LogFile::open_block_of(const BlockEntry& block, const BlockPrefetch* prefetch) const {
  const bool is_copied = is_in_copied_file(block);
  if (!block.indexed || state_of(block).load(std::memory_order_relaxed) == BlockState::kSound) {
    return is_copied ? read_block(block, prefetch) : view_block(block);
  }
  auto data = is_copied ? read_block(block, prefetch) : open_and_check(block);
  if (!data.ok() && data.status().code() == StatusCode::kIoError) return data;
  state_of(block).store(data.ok() ? BlockState::kSound : BlockState::kDamaged, std::memory_order_relaxed);
  return data;
}

void LogFile::check_blocks(WorkMeter* meter) const {
  std::vector<const BlockEntry*> all;
  for (const BlockEntry& block : blocks_) all.push_back(&block);
  check_blocks(std::move(all), meter);
}

void LogFile::check_reports(WorkMeter* meter) const {
  std::vector<const BlockEntry*> some;
  for (const BlockEntry& block : blocks_) {
    if (!reports_nothing(block)) some.push_back(&block);
  }
  check_blocks(std::move(some), meter);
}

void LogFile::check_blocks(std::vector<const BlockEntry*> blocks, WorkMeter* meter) const {
  std::erase_if(blocks, [this](const BlockEntry* block) {
    return !block->indexed || state_of(*block).load(std::memory_order_relaxed) != BlockState::kUnknown;
  });
  for (const BlockEntry* block : blocks) {
    if (meter != nullptr) meter->add_total(block->records);
  }
  const unsigned threads = blocks.size() > 1 ? thread_count() : 1;
  in_parallel(blocks.size(), 1, threads, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      (void)open_block(*blocks[i]);
      if (meter != nullptr) meter->add_done(blocks[i]->records);
    }
  });
}

Result<format::DataBlock> LogFile::open_and_check(const BlockEntry& block) const {
  const std::uint64_t offset = block.header_offset();
  const format::IndexEntry entry = {.type = block.type, .length = block.length};
  const std::uint16_t tag = format::session_tag(sessions_[block.session]->info.session_id).tag;
  ScannedBlock found;
  if (!whole_block_at(offset, entry, tag, &found)) return corrupt("not the block that the index says is here");
  if (!format::checksum_holds(file_.all().data() + offset, found.header, block.mark))
    return corrupt("checksum does not match");
  auto data = peek_block(block);
  if (!data.ok()) return data;
  if (Status status = check_indexed(block, *data); !status.ok()) return status;
  return data;
}

Status LogFile::check_indexed(const BlockEntry& block, const format::DataBlock& data) const {
  const bool same = data.records() == block.records && data.min_clock() == block.min_clock &&
                    data.max_clock() == block.max_clock && levels_of(block, data) == block.levels &&
                    same_sites(sites_of(block), data.groups()) &&
                    same_runs(std::span(runs_).subspan(block.first_run, block.runs), data.runs());
  return same ? Status() : corrupt(block.indexed ? "the index contradicts the block" : "another block than before");
}

// An index that is read on the way, by whoever checks everything. One that was copied to another place says nothing.
void LogFile::check_index(const ScannedBlock& scanned) {
  format::IndexBlock head;
  if (format::peek_index_block(scanned.payload, &head) && head.offset != scanned.offset) return;
  const auto index = format::parse_index_block(scanned.payload);
  if (!index.ok()) return report(scanned, index.status().message());
  std::uint64_t at = index->begin;
  std::vector<IndexedOther> others;
  auto block = std::lower_bound(blocks_.begin(), blocks_.end(), at,
                                [](const BlockEntry& entry, std::uint64_t offset) { return entry.offset < offset; });
  for (const format::IndexEntry& entry : index->entries) {
    const std::uint64_t payload = at + kBlockHeaderSize;
    if (!entry.is_data()) others.push_back({at, at + entry.total_size(), entry.type});
    at += entry.total_size();
    if (!entry.is_data() || block == blocks_.end()) continue;
    if (block->offset > payload) continue;  // that block is damaged, and reported
    const bool same = block->offset == payload && block->length == entry.length && block->type == entry.type &&
                      block->records == entry.records && block->min_clock == entry.min_clock &&
                      block->max_clock == entry.max_clock && agree(block->levels, entry.levels) &&
                      agree(sites_of(*block), std::span(index->sites).subspan(entry.first_site, entry.sites)) &&
                      same_runs(std::span(runs_).subspan(block->first_run, block->runs),
                                std::span(index->runs).subspan(entry.first_run, entry.runs));
    if (!same) return report(scanned, "an index that contradicts the blocks before it");
    ++block;
  }
  indexed_parts_.push_back({index->begin, index->offset, indexed_others_.size(), others.size()});
  indexed_others_.insert(indexed_others_.end(), others.begin(), others.end());
}

const LogFile::IndexedPart* LogFile::find_indexed_part(std::uint64_t offset, std::uint64_t size) const {
  // Their ends ascend, as they were read, and parts of a file that steno wrote do not overlap.
  const auto part = std::partition_point(indexed_parts_.begin(), indexed_parts_.end(),
                                         [=](const IndexedPart& one) { return one.end < offset + size; });
  return part != indexed_parts_.end() && part->begin <= offset ? &*part : nullptr;
}

bool LogFile::is_indexed(std::uint64_t offset, std::uint64_t size) const {
  return find_indexed_part(offset, size) != nullptr;
}

std::optional<std::vector<BlockType>> LogFile::indexed_types(std::uint64_t offset, std::uint64_t size) const {
  const IndexedPart* const part = find_indexed_part(offset, size);
  if (part == nullptr) return std::nullopt;
  const auto first = indexed_others_.begin() + static_cast<std::ptrdiff_t>(part->first_other);
  const auto last = first + static_cast<std::ptrdiff_t>(part->others);
  std::vector<BlockType> types;
  for (auto other = std::partition_point(first, last, [=](const IndexedOther& one) { return one.end <= offset; });
       other != last && other->begin < offset + size; ++other) {
    if (std::find(types.begin(), types.end(), other->type) == types.end()) types.push_back(other->type);
  }
  return types;
}

}  // namespace steno::reader
