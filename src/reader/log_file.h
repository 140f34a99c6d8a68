// One .steno file: its sessions, where its data blocks are, and what of it is damaged. Nothing is decoded yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/work_meter.h"
#include "format/data_reader.h"
#include "format/end_block.h"
#include "format/index_block.h"
#include "format/packed_session.h"
#include "format/session_block.h"
#include "reader/block_scanner.h"
#include "reader/clock_map.h"
#include "reader/damage.h"
#include "reader/dictionary.h"
#include "reader/file_bytes.h"
#include "reader/file_index.h"
#include "reader/string_dictionaries.h"
#include "steno/read_limits.h"
#include "wire/record.h"

namespace steno::reader {

// Consecutive records of one thread in one ring, in one data block.
struct RunEntry {
  std::uint32_t block = 0;  // index in LogFile::blocks()
  std::uint32_t thread = 0;
  std::uint32_t ring = 0;
  std::uint32_t start = 0;  // its first record in the block
  std::uint32_t records = 0;
  std::uint32_t repeated = 0;  // this many at its start are in an earlier run as well, and are not shown again
  std::uint64_t first_seq = 0;
  std::uint64_t end = 0;

  // After the number of its last record.
  std::uint64_t seq_end() const { return first_seq + records < first_seq ? UINT64_MAX : first_seq + records; }
};

struct BlockEntry {
  std::uint64_t offset = 0;  // of the payload in the file
  std::uint32_t length = 0;
  std::uint32_t session = 0;  // index in LogFile::sessions()
  format::BlockType type{};
  std::uint8_t levels = 0;  // bit n: has records of level n
  bool indexed = false;     // known from an index block: not touched yet
  std::uint32_t records = 0;
  std::uint32_t runs = 0;
  std::uint32_t mark = 0;       // format::SessionTag
  std::uint64_t first_run = 0;  // index in LogFile::runs()
  std::uint64_t min_clock = 0;
  std::uint64_t max_clock = 0;
  std::uint32_t first_site = 0;  // of LogFile::sites_of()
  std::uint32_t sites = 0;

  // The block as a piece of the file, header and filling included.
  std::uint64_t header_offset() const { return offset - format::kBlockHeaderSize; }
  std::uint64_t total_size() const { return format::kBlockHeaderSize + round_up(std::uint64_t{length}, 8); }
};

// Returns whether records of this site say that others are missing, or what a flight recorder has kept.
constexpr bool is_report(std::uint32_t site) {
  return site == wire::kSiteDropped || site == wire::kSiteDiscarded || site == wire::kSiteRecorder;
}

// The runs of one ring in the order of the ring.
struct RingEntry {
  std::uint32_t ring = 0;
  std::vector<std::uint64_t> runs;  // indices in LogFile::runs()
};

// Blocks from elsewhere that belong after those of the file: what waits in staging.
struct Extra {
  ByteBuffer blocks;
  std::uint64_t session_id = 0;
  bool running = false;  // its process lives: that the session has no end is as it should be
  bool ended = false;    // but not if the file has blocks of it: its end was there, too
};

// Numbers of a ring's records, first to end - 1.
struct SeqRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

struct Session {
  explicit Session(Ordinals* ordinals, const ReadLimits& limits = {}, SitePool* pool = nullptr)
      : dictionary(ordinals, limits, pool) {}

  bool known = true;  // false: its session block is damaged; `info` is empty
  format::SessionBlock info;
  format::SessionTag tag;        // of its first block here
  std::uint64_t offset = 0;      // where it begins in the file
  std::uint64_t last_index = 0;  // where its last index block is; 0: it has none
  std::uint64_t records = 0;     // on file, repeated ones counted once
  std::uint64_t repeated = 0;
  Dictionary dictionary;
  StringDictionaries strings;
  std::vector<format::ClockPoint> clock_points;
  ClockMap clock;
  bool dated = true;  // false: no clock point; times are guesses from the session's start
  // The points that all files of the same set have of this session, in order, each once; nullptr: no other file has it.
  std::shared_ptr<const std::vector<format::ClockPoint>> points_of_all;
  std::optional<format::EndBlock> end;
  std::vector<RingEntry> rings;  // by ring number
  std::uint64_t min_clock = UINT64_MAX;
  std::uint64_t max_clock = 0;
  // The records that other files of the same set have of this session: a log that was rotated and whose process then
  // died goes on in the new file. Ranges by ring, in order, apart from each other.
  std::map<std::uint32_t, std::vector<SeqRange>> elsewhere;
  bool ended_elsewhere = false;
  bool running = false;           // it goes on, and what it logged until now is here
  std::uint64_t extra_bytes = 0;  // of blocks that are not in the file (yet)

  // When it began, in ns since the epoch: of records of one time, those of the session that began first come first.
  std::int64_t began() const { return known ? info.start_wall : clock.wall(min_clock); }
};

struct OpenOptions {
  // Files from this size on are opened by their index blocks where they have them; what those cover is checked when it
  // is read, not before. UINT64_MAX: never, each byte is checked now.
  std::uint64_t index_from = std::uint64_t{64} << 20;
  // Counts the bytes that have been checked.
  WorkMeter* meter = nullptr;
  // By copy, for files that somebody may cut short or change meanwhile: such a file is damaged from there on.
  FileBytes::Access access = FileBytes::Access::kMap;
  // For mapped files; nullptr: a compressed file is no steno file.
  FileBytes::Unpack unpack = nullptr;
  ReadLimits limits = {};
};
inline constexpr OpenOptions kCheckAll = {.index_from = UINT64_MAX};
// Sources, and files of a large set, are opened by their indexes from this size on: smaller ones may have none.
inline constexpr std::uint64_t kLeastIndexed = std::uint64_t{1} << 20;

struct BlockCount {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;  // headers and padding included
};

class BlockPrefetch;

// Immutable once open; const members are thread-safe. Memory: some 70 bytes a data block, 40 a run, and 8 for each
// statement of a block.
class LogFile {
 public:
  // Reads and checks the whole file once, or large ones by their index; 16 MiB and more with a thread a core.
  // kNotFound: missing or empty; kCorrupt: not a steno file; kUnsupported: its first session is of a newer version;
  // else as MappedFile::open. Damage inside the file is no error here. `ordinals` must outlive the result. With `extra`
  // blocks the file itself may be empty or missing. Their offsets are after the end of the file.
  static Result<std::unique_ptr<LogFile>> open(const std::string& path, Ordinals* ordinals,
                                               std::vector<Extra> extra = {}, const OpenOptions& options = {});
  // The bytes of a source. Those of 1 MiB and more are opened by their index blocks. kIoError and other codes: the
  // source fails; kExhausted: it has no index that can be used, and is larger than ReadLimits::copied_bytes.
  static Result<std::unique_ptr<LogFile>> open(std::shared_ptr<ByteSource> source, Ordinals* ordinals,
                                               const OpenOptions& options = {}) {
    return open(fetch(std::move(source), options), ordinals, options);
  }
  // The first part of it, for several sources at once: reads what the second one looks at. Thread-safe.
  static Result<std::unique_ptr<LogFile>> fetch(std::shared_ptr<ByteSource> source, const OpenOptions& options);
  static Result<std::unique_ptr<LogFile>> open(Result<std::unique_ptr<LogFile>> fetched, Ordinals* ordinals,
                                               const OpenOptions& options);
  // Opens `extra` without a file, as if an empty one were at `name`, which is what messages say. Requires that `extra`
  // is not empty.
  static Result<std::unique_ptr<LogFile>> without_file(const std::string& name, Ordinals* ordinals,
                                                       std::vector<Extra> extra, const OpenOptions& options = {});

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return file_.size(); }
  const ReadLimits& limits() const { return limits_; }
  // Bytes of the file, or of an extra block.
  std::span<const std::uint8_t> bytes(std::uint64_t offset, std::uint64_t length) const;
  const std::vector<std::unique_ptr<Session>>& sessions() const { return sessions_; }
  const std::vector<BlockEntry>& blocks() const { return blocks_; }
  const std::vector<RunEntry>& runs() const { return runs_; }
  const std::vector<Damage>& damage() const { return damage_; }
  // By type, unknown ones too.
  const BlockCount& count_of(std::uint8_t type) const { return counts_[type]; }

  // Bare blocks of sessions that packed ones refer to (file.md §15), in the order of the file.
  const std::vector<std::span<const std::uint8_t>>& models() const { return models_in_order_; }
  // Returns whether the block at `offset` is of a packed session: it has no place in the file.
  bool is_unpacked(std::uint64_t offset) const {
    return offset >= unpacked_begin_ && offset - unpacked_begin_ < unpacked_.size();
  }
  // About how many bytes of memory packed sessions take. At most ReadLimits::memory, and one session: those beyond
  // that are reported as damage.
  std::uint64_t unpacked_memory() const { return unpacked_memory_; }
  // After the last packed session of the file; 0: there is none.
  std::uint64_t packed_end() const { return packed_end_; }

  // Records of protocol sites that this version does not know: they are on file for later ones.
  std::uint64_t unknown_records() const { return unknown_records_; }

  // Checks the block first if nobody did: what an index says of it holds then. kCorrupt: it is damaged. Of a file that
  // is read by copy, the result holds the block's bytes, which are checked each time.
  // With a prefetch that has the block, its bytes are taken from there; where they are damaged, they are read once
  // more.
  Result<format::DataBlock> open_block(const BlockEntry& block, const BlockPrefetch* prefetch = nullptr) const;
  // Returns whether the file's bytes come from afar, so that it pays to read those of many blocks at once.
  bool is_remote() const { return file_.is_remote(); }
  // Reads parts of the file anew. Requires is_remote().
  Status read(std::span<const ByteSource::Range> ranges) const { return note(file_.read(ranges)); }
  // The failure of its source that some reader met since forget_failure(): records are missing then.
  Status source_failure() const;
  void forget_failure() const;
  // Reads it without the check, at the cost of the directory: to decide whether the block is worth reading. What it
  // says may be wrong where the file is damaged.
  Result<format::DataBlock> peek_block(const BlockEntry& block) const;
  format::BlockHeader header_of(const BlockEntry& block) const;
  // Reads and checks the blocks that an index spared so far, by one thread a core, and counts their records.
  void check_blocks(WorkMeter* meter) const;
  // Does so with the blocks that may have records of drops, discards or a flight recorder.
  void check_reports(WorkMeter* meter) const;
  // Returns whether open_block() has found that an indexed block is not what the index says: find_losses() reports it
  // like damage that was found when the file was opened.
  bool is_damaged(const BlockEntry& block) const {
    return block.indexed && state_of(block).load(std::memory_order_relaxed) == BlockState::kDamaged;
  }

  // Returns whether it is known that no record of the block reports drops, discards or a flight recorder.
  bool reports_nothing(const BlockEntry& block) const {
    return reports_of(block).load(std::memory_order_relaxed) == Reports::kNone;
  }

  // Returns whether an index that agrees with what is there says which blocks of its session were in this part of the
  // file.
  bool is_indexed(std::uint64_t offset, std::uint64_t size) const;
  // Returns the types that an index gives the blocks there that are not of data, each once; nothing where none was
  // read.
  std::optional<std::vector<format::BlockType>> indexed_types(std::uint64_t offset, std::uint64_t size) const;

  // Tells two files of one set of each other, this one being the later: what sessions they share, and which records are
  // in both. Those are shown of the earlier one, but where more is missing there of what makes them readable.
  void join(LogFile& earlier);
  // Records of the session with numbers below those given by ring are not to be shown: somebody has seen them.
  void skip_printed(std::uint64_t session_id, const std::map<std::uint32_t, std::uint64_t>& next);

  // Bounds of the times of the block's records. False: unknown, for the clock was set.
  bool wall_bounds(const BlockEntry& block, std::int64_t* first, std::int64_t* last) const {
    return sessions_[block.session]->clock.wall_bounds(block.min_clock, block.max_clock, first, last);
  }
  // How many records of the block are of which statement, in the order of their numbers, all declared. What an index
  // says is held against the block when it is read. Empty: not known, as of blocks of very many statements.
  std::span<const format::SiteCount> sites_of(const BlockEntry& block) const {
    return std::span(sites_).subspan(block.first_site, block.sites);
  }

  // The run that record i of the block is in. Requires i < block.records.
  const RunEntry& run_of(const BlockEntry& block, std::uint32_t i) const;

 private:
  LogFile(std::string path, const ReadLimits& limits) : path_(std::move(path)), limits_(limits) {}

  Result<format::DataBlock> open_block_of(const BlockEntry& block, const BlockPrefetch* prefetch) const;
  Status index(Ordinals* ordinals, const OpenOptions& options);
  Status scan(Ordinals* ordinals, const OpenOptions& options);
  Status load_all();
  void drop_data_blocks();
  void explain_shrinking();
  enum class BlockState : std::uint8_t { kUnknown, kSound, kDamaged };
  enum class Reports : std::uint8_t { kUnknown, kNone, kSome };

  std::atomic<BlockState>& state_of(const BlockEntry& block) const { return states_[&block - blocks_.data()]; }
  std::atomic<Reports>& reports_of(const BlockEntry& block) const { return reports_[&block - blocks_.data()]; }
  bool scan_by_index(Ordinals* ordinals);
  bool scan_part(const FilePart& part, Ordinals* ordinals);
  bool take_indexed(const FilePart& part, Ordinals* ordinals);
  void forget_scan();
  void check_index(const ScannedBlock& block);
  bool whole_block_at(std::uint64_t offset, const format::IndexEntry& entry, std::uint16_t tag,
                      ScannedBlock* block) const;
  bool is_in_copied_file(const BlockEntry& block) const { return file_.is_copied() && block.offset < size(); }
  Result<format::DataBlock> view_block(const BlockEntry& block) const;
  Result<format::DataBlock> read_block(const BlockEntry& block, const BlockPrefetch* prefetch = nullptr) const;
  Result<format::DataBlock> take_block(const BlockEntry& block, std::unique_ptr<std::uint8_t[]> bytes) const;
  Status note(Status status) const;
  void fetch_parts();
  void load_declarations(const std::vector<FilePart>& parts);
  Result<format::DataBlock> open_and_check(const BlockEntry& block) const;
  Status check_indexed(const BlockEntry& block, const format::DataBlock& data) const;
  bool is_declared(const BlockEntry& block, const format::DataBlock& data) const;
  void count(format::BlockType type, std::uint64_t bytes) {
    ++counts_[static_cast<std::uint8_t>(type)].blocks;
    counts_[static_cast<std::uint8_t>(type)].bytes += bytes;
  }
  void scan_extra(std::size_t index, Ordinals* ordinals);
  void unpack_sessions(Ordinals* ordinals);
  std::size_t append_unpacked(const format::PackedSession& packed, Status* status);
  // A packed session, and where its blocks are in unpacked_.
  struct Unpacked {
    std::uint64_t id;
    bool is_model;
    std::size_t begin;
    std::size_t end;
    std::uint64_t offset;  // in the file
    std::uint64_t size;
  };
  void take_unpacked(const Unpacked& session, Ordinals* ordinals);
  std::uint64_t memory_of(const Unpacked& session) const;
  std::unique_ptr<Session> new_session(Ordinals* ordinals) {
    return std::make_unique<Session>(ordinals, limits_, unpacking_ ? &shared_sites_ : nullptr);
  }
  void place_damage(std::size_t first, const std::vector<Unpacked>& sessions);
  // `counts`: the block is one of the file.
  Status take(const ScannedBlock& block, Ordinals* ordinals, bool counts = true);
  Status take_session(const ScannedBlock& block, Ordinals* ordinals);
  void take_deferred();
  void take_data(const ScannedBlock& block, std::uint32_t session);
  std::uint8_t levels_of(const BlockEntry& block, const format::DataBlock& data) const;
  bool add_block(BlockEntry block, std::span<const format::Run> runs);
  void add_sites(std::span<const format::SiteCount> sites);
  void note_reports();
  std::uint32_t session_of(const ScannedBlock& block, Ordinals* ordinals);
  void report(const ScannedBlock& block, std::string reason);
  void check_blocks(std::vector<const BlockEntry*> blocks, WorkMeter* meter) const;
  void order_rings();
  void order_ring(RingEntry& ring) const;
  void add_rivals(const RingEntry& ring, std::vector<std::uint32_t>* blocks) const;
  void check_claims(std::vector<std::uint32_t> blocks) const;
  void mark_repeated(Session& session, const RingEntry& ring);
  void check_overlap(const Session& session, const std::map<std::uint32_t, std::vector<SeqRange>>& claimed) const;
  void skip_repeated(Session& session, const RingEntry& ring, const std::vector<SeqRange>& ranges);
  void skip_runs(Session& session, const RingEntry& ring, const std::vector<SeqRange>& ranges);
  void make_clocks();
  void make_clock(Session& session) const;
  Session* find_same(const Session& session) const;
  void share_clock(Session& theirs, Session& mine) const;

  std::string path_;
  const ReadLimits limits_;
  FileBytes file_;
  std::vector<Extra> extra_;
  std::vector<std::uint64_t> extra_offsets_;  // where each begins, as if it were in the file
  std::vector<std::unique_ptr<Session>> sessions_;
  mutable std::mutex failure_mutex_;
  mutable Status source_failure_;
  std::unordered_map<std::uint64_t, std::uint32_t> session_by_tag_;  // SessionTag::packed()
  std::unordered_map<std::uint64_t, std::uint32_t> session_by_id_;
  struct Deferred {
    ScannedBlock block;
    std::uint32_t session;
  };
  std::vector<ScannedBlock> packed_;                               // sessions, until their models are known
  std::map<std::uint32_t, std::span<const std::uint8_t>> models_;  // by number
  std::vector<std::span<const std::uint8_t>> models_in_order_;
  SitePool shared_sites_;   // of packed sessions
  bool unpacking_ = false;  // what is taken is of such sessions
  std::uint64_t unpacked_memory_ = 0;
  std::uint64_t packed_end_ = 0;
  ByteBuffer unpacked_;                        // blocks
  std::uint64_t unpacked_begin_ = UINT64_MAX;  // where they begin, as if they were in the file
  std::vector<Deferred> deferred_;             // data and indexes, until all is known that their session declares
  std::vector<BlockEntry> blocks_;
  std::vector<RunEntry> runs_;
  std::vector<format::SiteCount> sites_;
  std::vector<Damage> damage_;
  // A part of the file that an index tells about. The blocks there that are not of data are a part of indexed_others_,
  // in the order of their offsets.
  struct IndexedPart {
    std::uint64_t begin;
    std::uint64_t end;
    std::size_t first_other;
    std::size_t others;
  };
  struct IndexedOther {
    std::uint64_t begin;
    std::uint64_t end;
    format::BlockType type;
  };
  const IndexedPart* find_indexed_part(std::uint64_t offset, std::uint64_t size) const;

  std::vector<IndexedPart> indexed_parts_;
  std::vector<IndexedOther> indexed_others_;
  std::vector<FilePart> parts_;  // the parts that fetch() has found, until they are looked through
  BlockCount counts_[256];
  std::uint64_t unknown_records_ = 0;
  mutable std::unique_ptr<std::atomic<BlockState>[]> states_;  // by block; of those that are indexed
  mutable std::unique_ptr<std::atomic<Reports>[]> reports_;    // by block
};

// The records of all data blocks, copies included.
inline std::uint64_t records_on_file(const LogFile& file) {
  std::uint64_t records = 0;
  for (const BlockEntry& entry : file.blocks()) records += entry.records;
  return records;
}

}  // namespace steno::reader
