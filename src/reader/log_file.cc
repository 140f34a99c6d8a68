#include "reader/log_file.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "format/clock_block.h"

namespace steno::reader {

using format::BlockType;

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, Ordinals* ordinals, std::vector<Extra> extra,
                                               const OpenOptions& options) {
  std::unique_ptr<LogFile> log(new LogFile(path));
  log->extra_ = std::move(extra);
  auto file = MappedFile::open(path);
  if (file.ok()) {
    log->file_ = std::move(file).value();
  } else if (log->extra_.empty() || file.status().code() != StatusCode::kNotFound) {
    return file.status();
  }
  if (log->size() == 0 && log->extra_.empty()) {
    return Status(StatusCode::kNotFound, path + ": is empty, so it is no steno file (yet)");
  }
  if (Status status = log->scan(ordinals, options); !status.ok()) return status;
  for (std::size_t i = 0; i < log->extra_.size(); ++i) log->scan_extra(i, ordinals);
  log->states_ = std::make_unique<std::atomic<BlockState>[]>(log->blocks_.size());
  log->make_clocks();
  log->order_rings();
  return log;
}

std::span<const std::uint8_t> LogFile::bytes(std::uint64_t offset, std::uint64_t length) const {
  if (extra_offsets_.empty() || offset < extra_offsets_.front()) return file_.bytes().subspan(offset, length);
  const auto next = std::upper_bound(extra_offsets_.begin(), extra_offsets_.end(), offset);
  const auto index = static_cast<std::size_t>(next - extra_offsets_.begin()) - 1;
  return {extra_[index].blocks.data() + (offset - extra_offsets_[index]), length};
}

void LogFile::scan_extra(std::size_t index, Ordinals* ordinals) {
  const Extra& extra = extra_[index];
  const std::uint64_t base = index == 0 ? round_up(size(), 8) + 8  // apart, whatever the file ends with
                                        : extra_offsets_[index - 1] + round_up(extra_[index - 1].blocks.size(), 8);
  extra_offsets_.push_back(base);
  BlockScanner scanner({extra.blocks.data(), extra.blocks.size()});
  while (auto block = scanner.next()) {
    block->offset += base;
    if (!take(*block, ordinals).ok()) break;
    const auto session = session_by_tag_.find(block->header.session_tag);
    if (session != session_by_tag_.end()) sessions_[session->second]->extra_bytes += block->header.total_size();
  }
  if (const auto found = session_by_id_.find(extra.session_id); found != session_by_id_.end()) {
    sessions_[found->second]->running = extra.running;
  }
}

Status LogFile::scan(Ordinals* ordinals, const OpenOptions& options) {
  const std::span<const std::uint8_t> bytes = file_.bytes();
  if (bytes.size() >= options.index_from) {
    if (scan_by_index(ordinals)) return {};
    forget_scan();
  }
  const bool has_magic = bytes.size() >= 4 && load<std::uint32_t>(bytes.data()) == format::kBlockMagic;
  constexpr std::size_t kMuch = std::size_t{1} << 24;
  BlockScanner scanner(bytes, {.threads = bytes.size() >= kMuch ? thread_count() : 1});
  if (options.meter != nullptr) options.meter->add_total(bytes.size());
  std::uint64_t sound = 0;
  std::uint64_t counted = 0;
  while (const auto block = scanner.next()) {
    ++sound;
    if (options.meter != nullptr) options.meter->add_done(scanner.offset() - std::exchange(counted, scanner.offset()));
    const Status status = take(*block, ordinals);
    if (status.ok()) continue;
    if (sessions_.empty()) return status;
    damage_.push_back({DamageKind::kNewer, block->offset, bytes.size() - block->offset, status.message()});
    scanner.stop();
  }
  if (sound == 0 && !has_magic && !bytes.empty()) return {StatusCode::kCorrupt, path_ + ": not a steno file"};
  damage_.insert(damage_.end(), scanner.damage().begin(), scanner.damage().end());
  std::stable_sort(damage_.begin(), damage_.end(),
                   [](const Damage& a, const Damage& b) { return a.offset < b.offset; });
  return {};
}

void LogFile::report(const ScannedBlock& block, std::string reason) {
  damage_.push_back({DamageKind::kContent, block.offset, block.header.total_size(), std::move(reason)});
}

// Fails only where nothing behind this block can be understood.
Status LogFile::take(const ScannedBlock& block, Ordinals* ordinals) {
  count(block.header.type, block.header.total_size());
  if (block.header.type == BlockType::kSession) return take_session(block, ordinals);
  const std::uint32_t index = session_of(block, ordinals);
  Session& session = *sessions_[index];
  switch (block.header.type) {
    case BlockType::kDictionary:
      if (!session.dictionary.add_block(block.payload, block.offset)) report(block, "malformed dictionary entry");
      break;
    case BlockType::kClock:
      if (Status status = format::parse_clock_block(block.payload, &session.clock_points); !status.ok()) {
        report(block, status.message());
      }
      break;
    case BlockType::kEnd:
      if (auto end = format::parse_end_block(block.payload); end.ok()) {
        session.end = std::move(end).value();
      } else {
        report(block, end.status().message());
      }
      break;
    case BlockType::kColumns:
    case BlockType::kRows:
      take_data(block, index);
      break;
    case BlockType::kIndex:
      check_index(block);
      break;
    default:
      break;  // file.md §1: unknown types are skipped
  }
  return {};
}

Status LogFile::take_session(const ScannedBlock& block, Ordinals* ordinals) {
  const std::uint32_t version = block.payload.size() >= 4 ? load<std::uint32_t>(block.payload.data()) : 0;
  if (version > format::kFileVersion) {
    return {StatusCode::kUnsupported, path_ + ": written in format version " + std::to_string(version) +
                                          " by a newer steno; this one reads up to version " +
                                          std::to_string(format::kFileVersion) + ", so update it"};
  }
  auto info = format::parse_session_block(block.payload);
  if (!info.ok()) {
    report(block, info.status().message());
    return {};
  }
  const std::uint64_t id = info.value().session_id;
  std::uint32_t& by_tag = session_by_tag_.try_emplace(block.header.session_tag, UINT32_MAX).first->second;
  if (const auto known = session_by_id_.find(id); known != session_by_id_.end()) {
    by_tag = known->second;
    sessions_[by_tag]->end.reset();  // carried on (file.md §2): another one is to come
    return {};
  }
  // One whose session block is damaged, and which is carried on.
  const bool nameless = by_tag != UINT32_MAX && !sessions_[by_tag]->known;
  if (!nameless) {
    by_tag = static_cast<std::uint32_t>(sessions_.size());
    sessions_.push_back(std::make_unique<Session>(ordinals));
    sessions_.back()->offset = block.offset;
  }
  sessions_[by_tag]->info = std::move(info).value();
  sessions_[by_tag]->known = true;
  session_by_id_[id] = by_tag;
  return {};
}

// The session whose tag the block carries. Its session block may be damaged; then a stand-in keeps what else is there.
std::uint32_t LogFile::session_of(const ScannedBlock& block, Ordinals* ordinals) {
  const auto [found, added] =
      session_by_tag_.try_emplace(block.header.session_tag, static_cast<std::uint32_t>(sessions_.size()));
  if (added) {
    auto session = std::make_unique<Session>(ordinals);
    session->known = false;
    session->offset = block.offset;
    sessions_.push_back(std::move(session));
  }
  return found->second;
}

void LogFile::take_data(const ScannedBlock& scanned, std::uint32_t session_index) {
  Session& session = *sessions_[session_index];
  BlockEntry block;
  block.offset = scanned.offset + format::kBlockHeaderSize;
  block.length = scanned.header.length;
  block.session = session_index;
  block.type = scanned.header.type;
  const auto data = open_block(block);
  if (!data.ok()) {
    report(scanned, data.status().message());
    return;
  }
  session.dictionary.declare_missing(*data, block.offset);
  block.levels = levels_of(block, *data);
  block.records = data->records();
  block.min_clock = data->min_clock();
  block.max_clock = data->max_clock();
  if (!add_block(block, data->runs())) report(scanned, "its runs do not add up to its records");
}

// Bit n: has records of level n. Requires that its statements are declared.
std::uint8_t LogFile::levels_of(const BlockEntry& block, const format::DataBlock& data) const {
  std::uint8_t levels = 0;
  for (const auto& group : data.groups()) {
    const Site* site = sessions_[block.session]->dictionary.site(group.site, block.offset);
    levels = static_cast<std::uint8_t>(levels | 1u << static_cast<unsigned>(site->info().level));
  }
  return levels;
}

bool LogFile::add_block(BlockEntry block, std::span<const format::Run> runs) {
  block.first_run = runs_.size();
  block.runs = static_cast<std::uint32_t>(runs.size());
  const auto block_index = static_cast<std::uint32_t>(blocks_.size());
  std::uint64_t start = 0;
  for (const format::Run& run : runs) {
    runs_.push_back(
        {block_index, run.thread, run.ring, static_cast<std::uint32_t>(start), run.records, 0, run.first_seq, run.end});
    start += run.records;
  }
  if (start != block.records) {
    runs_.resize(block.first_run);
    return false;
  }
  Session& session = *sessions_[block.session];
  session.min_clock = std::min(session.min_clock, block.min_clock);
  session.max_clock = std::max(session.max_clock, block.max_clock);
  blocks_.push_back(block);
  return true;
}

void LogFile::make_clocks() {
  for (const auto& owned : sessions_) {
    Session& session = *owned;
    const std::uint32_t kind = session.info.clock_kind;
    if (session.known && kind == 3) continue;  // ticks are nanoseconds already
    std::vector<format::ClockPoint> points = session.clock_points;
    if (points.empty()) {
      if (kind == 5) continue;  // a user's clock without points counts nanoseconds too
      session.dated = session.min_clock == UINT64_MAX;
      if (!session.known) continue;
      format::ClockPoint guess{};
      guess.ticks = session.min_clock == UINT64_MAX ? 0 : session.min_clock;
      guess.wall_ns = session.info.start_wall;
      guess.ns_per_tick = session.info.ns_per_tick;
      points.push_back(guess);
    }
    session.clock = ClockMap(std::move(points), session.info.ns_per_tick);
  }
}

void LogFile::order_rings() {
  std::vector<std::map<std::uint32_t, RingEntry>> rings(sessions_.size());
  for (std::uint64_t i = 0; i < runs_.size(); ++i) {
    RingEntry& ring = rings[blocks_[runs_[i].block].session][runs_[i].ring];
    ring.ring = runs_[i].ring;
    ring.runs.push_back(i);
  }
  for (std::size_t s = 0; s < sessions_.size(); ++s) {
    for (auto& [number, ring] : rings[s]) {
      order_ring(*sessions_[s], ring);
      sessions_[s]->rings.push_back(std::move(ring));
    }
  }
}

// Runs come in file order, which is the ring's own but for damage. A scribe that died between writing a block and
// releasing it leaves records that are written once more (ring.md §4.2): the sequence numbers tell.
void LogFile::order_ring(Session& session, RingEntry& ring) {
  const auto earlier = [this](std::uint64_t a, std::uint64_t b) { return runs_[a].first_seq < runs_[b].first_seq; };
  if (!std::is_sorted(ring.runs.begin(), ring.runs.end(), earlier)) {
    std::stable_sort(ring.runs.begin(), ring.runs.end(), earlier);
  }
  std::uint64_t covered = 0;
  for (const std::uint64_t i : ring.runs) {
    RunEntry& run = runs_[i];
    if (covered > run.first_seq) {
      run.repeated = static_cast<std::uint32_t>(std::min<std::uint64_t>(covered - run.first_seq, run.records));
    }
    session.records += run.records - run.repeated;
    session.repeated += run.repeated;
    const std::uint64_t end = run.first_seq + run.records;
    covered = std::max(covered, end < run.first_seq ? UINT64_MAX : end);
  }
}

}  // namespace steno::reader
