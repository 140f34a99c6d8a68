#include "reader/log_file.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "format/clock_block.h"
#include "format/protocol_block.h"
#include "reader/corrupt.h"

namespace steno::reader {

using format::BlockType;

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, Ordinals* ordinals, std::vector<Extra> extra,
                                               const OpenOptions& options) {
  std::unique_ptr<LogFile> log(new LogFile(path, options.limits));
  log->extra_ = std::move(extra);
  if (Status status = log->file_.open(path, options.access, options.unpack); !status.ok()) {
    if (log->extra_.empty() || status.code() != StatusCode::kNotFound) return status;
  }
  if (log->size() == 0 && log->extra_.empty()) {
    return Status(StatusCode::kNotFound, path + ": is empty, so it is no steno file (yet)");
  }
  if (Status status = log->index(ordinals, options); !status.ok()) return status;
  return log;
}

namespace {

std::uint64_t source_index_from(const OpenOptions& options) {
  return std::min(options.index_from, kLeastIndexed);
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::fetch(std::shared_ptr<ByteSource> source, const OpenOptions& options) {
  std::unique_ptr<LogFile> log(new LogFile(source->name(), options.limits));
  if (Status status = log->file_.open(std::move(source)); !status.ok()) return status;
  if (log->size() == 0) {
    return Status(StatusCode::kNotFound, log->path() + ": is empty, so it is no steno file (yet)");
  }
  if (log->size() >= source_index_from(options)) log->fetch_parts();
  return log;
}

Result<std::unique_ptr<LogFile>> LogFile::open(Result<std::unique_ptr<LogFile>> fetched, Ordinals* ordinals,
                                               const OpenOptions& options) {
  if (!fetched.ok()) return fetched;
  std::unique_ptr<LogFile> log = std::move(fetched).value();
  OpenOptions by_index = options;
  by_index.index_from = source_index_from(options);
  const Status status = log->index(ordinals, by_index);
  if (Status failure = log->file_.failure(); !failure.ok()) return failure;
  if (!status.ok()) return status;
  return log;
}

Result<std::unique_ptr<LogFile>> LogFile::without_file(const std::string& name, Ordinals* ordinals,
                                                       std::vector<Extra> extra, const OpenOptions& options) {
  std::unique_ptr<LogFile> log(new LogFile(name, options.limits));
  log->extra_ = std::move(extra);
  if (Status status = log->index(ordinals, options); !status.ok()) return status;
  return log;
}

Status LogFile::index(Ordinals* ordinals, const OpenOptions& options) {
  if (Status status = scan(ordinals, options); !status.ok()) return status;
  explain_shrinking();
  drop_data_blocks();
  unpack_sessions(ordinals);
  for (std::size_t i = 0; i < extra_.size(); ++i) scan_extra(i, ordinals);
  states_ = std::make_unique<std::atomic<BlockState>[]>(blocks_.size());
  reports_ = std::make_unique<std::atomic<Reports>[]>(blocks_.size());
  note_reports();
  make_clocks();
  order_rings();
  return {};
}

std::span<const std::uint8_t> LogFile::bytes(std::uint64_t offset, std::uint64_t length) const {
  if (is_unpacked(offset)) return {unpacked_.data() + (offset - unpacked_begin_), length};
  if (extra_offsets_.empty() || offset < extra_offsets_.front()) return file_.at(offset, length);
  const auto next = std::upper_bound(extra_offsets_.begin(), extra_offsets_.end(), offset);
  const auto index = static_cast<std::size_t>(next - extra_offsets_.begin()) - 1;
  return {extra_[index].blocks.data() + (offset - extra_offsets_[index]), length};
}

void LogFile::scan_extra(std::size_t index, Ordinals* ordinals) {
  const Extra& extra = extra_[index];
  const std::uint64_t first = unpacked_.empty() ? round_up(size(), 8) + 8  // apart, whatever the file ends with
                                                : unpacked_begin_ + unpacked_.size();
  const std::uint64_t base =
      index == 0 ? first : extra_offsets_[index - 1] + round_up(extra_[index - 1].blocks.size(), 8);
  extra_offsets_.push_back(base);
  const bool over = extra.ended && session_by_id_.contains(extra.session_id);
  BlockScanner scanner({extra.blocks.data(), extra.blocks.size()});
  for (const auto& session : sessions_) scanner.know(session->tag);
  while (auto block = scanner.next()) {
    block->offset += base;
    if (over) block->header.flags |= format::kCopyFlag;  // nothing is carried on
    if (!take(*block, ordinals).ok()) break;
    const auto session = session_by_tag_.find(block->tag.packed());
    if (session != session_by_tag_.end()) sessions_[session->second]->extra_bytes += block->header.total_size();
  }
  take_deferred();
  if (const auto found = session_by_id_.find(extra.session_id); found != session_by_id_.end()) {
    sessions_[found->second]->running = extra.running && !over;
  }
}

Status LogFile::scan(Ordinals* ordinals, const OpenOptions& options) {
  if (size() >= options.index_from) {
    if (scan_by_index(ordinals)) return {};
    forget_scan();
    if (Status failure = file_.failure(); !failure.ok()) return failure;
  }
  if (Status status = load_all(); !status.ok()) return status;
  const std::span<const std::uint8_t> bytes = file_.all();
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
  take_deferred();
  if (sound == 0 && !has_magic && !bytes.empty()) return {StatusCode::kCorrupt, path_ + ": not a steno file"};
  damage_.insert(damage_.end(), scanner.damage().begin(), scanner.damage().end());
  std::stable_sort(damage_.begin(), damage_.end(),
                   [](const Damage& a, const Damage& b) { return a.offset < b.offset; });
  return {};
}

Status LogFile::load_all() {
  if (size() > limits_.copied_bytes) return file_.map();
  file_.load(0, size());
  return file_.failure();
}

// Drops what is read again when it is wanted, of a file that was copied to be looked through.
void LogFile::drop_data_blocks() {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  for (const BlockEntry& block : blocks_) {
    if (block.header_offset() != end) {
      file_.drop(begin, end - begin);
      begin = block.header_offset();
    }
    end = block.header_offset() + block.total_size();
  }
  file_.drop(begin, std::min(end, size()) - begin);
}

// Bytes that were no longer there when they were to be read looked like zeros.
void LogFile::explain_shrinking() {
  for (Damage& damage : damage_) {
    if (damage.offset + damage.size <= file_.end_found()) continue;
    damage.kind = DamageKind::kBytes;
    damage.reason = "the file has become shorter while it was read";
  }
}

void LogFile::report(const ScannedBlock& block, std::string reason) {
  damage_.push_back({DamageKind::kContent, block.offset, block.header.total_size(), std::move(reason)});
}

// Fails only where nothing after this block can be understood.
Status LogFile::take(const ScannedBlock& block, Ordinals* ordinals, bool counts) {
  if (counts) count(block.header.type, block.header.total_size());
  if (block.header.type == BlockType::kSession) return take_session(block, ordinals);
  if (block.header.type == BlockType::kPadding) return {};  // it may be all that its session left in this file
  if (block.header.type == BlockType::kPacked) {
    packed_.push_back(block);
    return {};
  }
  const std::uint32_t index = session_of(block, ordinals);
  Session& session = *sessions_[index];
  switch (block.header.type) {
    case BlockType::kDictionary:
      if (!session.dictionary.add_block(block.payload, block.offset)) {
        report(block,
               session.dictionary.is_full() ? beyond_limit("statements").message() : "malformed dictionary entry");
      }
      break;
    case BlockType::kStrings:
      if (!session.strings.add_block(block.payload, block.offset))
        report(block, "malformed part of a dictionary of strings");
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
    case BlockType::kIndex:
      session.last_index = block.offset;
      [[fallthrough]];
    case BlockType::kColumns:
    case BlockType::kRows:
      deferred_.push_back({block, index});
      break;
    case BlockType::kProtocol:
      unknown_records_ += format::count_protocol_records(block.payload);
      break;
    default:
      break;  // file.md §1: unknown types are skipped
  }
  return {};
}

// A data block may lie before the only copy that is left of what it needs (file.md §11).
void LogFile::take_deferred() {
  for (const Deferred& deferred : std::exchange(deferred_, {})) {
    if (deferred.block.header.type == BlockType::kIndex) {
      check_index(deferred.block);
    } else {
      take_data(deferred.block, deferred.session);
    }
  }
}

Status LogFile::take_session(const ScannedBlock& block, Ordinals* ordinals) {
  const std::uint32_t version = block.payload.size() >= 4 ? load<std::uint32_t>(block.payload.data()) : 0;
  if (version > format::kNewestVersion) {
    return {StatusCode::kUnsupported, path_ + ": written in format version " + std::to_string(version) +
                                          " by a newer steno; this one reads up to version " +
                                          std::to_string(format::kNewestVersion) + ", so update it"};
  }
  auto info = format::parse_session_block(block.payload);
  if (!info.ok()) {
    report(block, info.status().message());
    return {};
  }
  const std::uint64_t id = info.value().session_id;
  std::uint32_t& by_tag = session_by_tag_.try_emplace(block.tag.packed(), UINT32_MAX).first->second;
  if (const auto known = session_by_id_.find(id); known != session_by_id_.end()) {
    by_tag = known->second;
    if (!block.header.is_copy()) sessions_[by_tag]->end.reset();  // carried on (file.md §2): another one is to come
    std::optional<std::vector<format::RingStart>>& elsewhere = sessions_[by_tag]->info.elsewhere;
    if (!elsewhere) elsewhere = std::move(info.value().elsewhere);  // else what follows the first lies here
    return {};
  }
  // One whose session block is damaged, and which is carried on.
  const bool nameless = by_tag != UINT32_MAX && !sessions_[by_tag]->known;
  if (!nameless) {
    by_tag = static_cast<std::uint32_t>(sessions_.size());
    sessions_.push_back(new_session(ordinals));
    sessions_.back()->offset = block.offset;
    sessions_.back()->tag = block.tag;
  }
  sessions_[by_tag]->info = std::move(info).value();
  sessions_[by_tag]->known = true;
  session_by_id_[id] = by_tag;
  return {};
}

// The session whose tag the block carries. Its session block may be damaged; then a stand-in keeps what else is there.
std::uint32_t LogFile::session_of(const ScannedBlock& block, Ordinals* ordinals) {
  const auto [found, added] =
      session_by_tag_.try_emplace(block.tag.packed(), static_cast<std::uint32_t>(sessions_.size()));
  if (added) {
    auto session = new_session(ordinals);
    session->known = false;
    session->offset = block.offset;
    session->tag = block.tag;
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
  block.mark = scanned.tag.mark;
  const auto data = view_block(block);
  if (!data.ok()) {
    report(scanned, data.status().message());
    return;
  }
  session.dictionary.declare_missing(*data, block.offset);
  block.levels = levels_of(block, *data);
  block.records = data->records();
  block.min_clock = data->min_clock();
  block.max_clock = data->max_clock();
  if (!add_block(block, data->runs())) return report(scanned, "its runs do not add up to its records");
  std::vector<format::SiteCount> sites;
  for (const auto& group : data->groups()) sites.push_back({group.site, group.records});
  format::merge_sites(&sites, 0);
  add_sites(sites);
}

// Bit n: has records of level n. Requires that its statements are declared.
std::uint8_t LogFile::levels_of(const BlockEntry& block, const format::DataBlock& data) const {
  std::uint8_t levels = 0;
  for (const auto& group : data.groups()) {
    const Site* site = sessions_[block.session]->dictionary.site(group.site, block.offset);
    levels = static_cast<std::uint8_t>(levels | site->level_bit());
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
  for (const auto& session : sessions_) make_clock(*session);
}

void LogFile::make_clock(Session& session) const {
  const std::uint32_t kind = session.info.clock_kind;
  if (session.known && kind == 3) return;  // ticks are nanoseconds already
  std::vector<format::ClockPoint> points = session.points_of_all ? *session.points_of_all : session.clock_points;
  if (points.empty()) {
    if (kind == 5) return;  // a user's clock without points counts nanoseconds too
    session.dated = session.min_clock == UINT64_MAX;
    if (!session.known) return;
    format::ClockPoint guess{};
    guess.ticks = session.min_clock == UINT64_MAX ? 0 : session.min_clock;
    guess.wall_ns = session.info.start_wall;
    guess.ns_per_tick = session.info.ns_per_tick;
    points.push_back(guess);
  }
  session.clock = ClockMap(std::move(points), session.info.ns_per_tick);
}

}  // namespace steno::reader
