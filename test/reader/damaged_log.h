// Common parts of tests of damage: a log whose every record is known, reading one that was damaged, and comparing the
// two record by record.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reader/log_set.h"
#include "reader/losses.h"

namespace steno::test {

// One record as a reader shows it.
struct Shown {
  std::int64_t wall = 0;
  std::uint64_t ticks = 0;
  std::string who;   // level, logger, thread
  std::string what;  // the message

  bool operator==(const Shown&) const = default;
};
void PrintTo(const Shown& shown, std::ostream* out);

// The place of a record: offset of its block's payload, index in the block.
using Place = std::pair<std::uint64_t, std::uint32_t>;

struct ReadLog {
  bool opened = false;
  std::vector<std::pair<Place, Shown>> records;  // in the order of the merge
  std::vector<reader::Damage> damage;            // met by the scan, then by decoding
  reader::LossReport losses;                     // content checked too
  std::size_t peak_bytes = 0;                    // most memory held at once, over what was held before

  std::vector<Shown> shown() const;
};

// All records of a set of files, in the order of the merge.
std::vector<Shown> shown(const reader::LogSet& logs);

// Reads everything there is, in every way that commands do. `text`: make messages too.
ReadLog read_log(const std::string& bytes, bool text = true, const reader::OpenOptions& options = {});

struct SoundBlock {
  format::BlockType type{};
  std::size_t session = 0;
  std::size_t begin = 0;
  std::size_t payload_end = 0;  // filling follows
  std::size_t end = 0;
  std::uint64_t records = 0;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> rings;  // first_seq and records of each ring

  bool is_data() const { return type == format::BlockType::kColumns || type == format::BlockType::kRows; }
};

// An undamaged file, taken apart.
struct SoundLog {
  explicit SoundLog(std::string file);

  // The blocks that differ between `bytes` and `damaged`, filling not counted. Sizes may differ at the end.
  std::set<std::size_t> touched(const std::string& damaged) const;
  // Block `index`, header and filling included.
  std::string piece(std::size_t index) const;

  std::string bytes;
  std::vector<SoundBlock> blocks;
  ReadLog read;
};

// The file of a log of one thread: data blocks of so many records each, record i saying i * factor.
std::string numbered_log(std::uint64_t blocks, std::uint64_t records, std::uint64_t factor = 1);

// Whose the sound block at `offset` is.
format::SessionTag tag_at(const std::string& bytes, std::size_t offset);

// Two sessions, the clock a counter; several sites, loggers, threads, strings, a record that tells of drops, clock
// points around the records, end blocks. `renamed`: a thread is, between two blocks.
std::string small_log(bool rows, bool renamed = true);

// EXPECTs that `damaged`, a read of `sound` with the blocks `lost` made unusable, shows every record of the other
// blocks as before and none of those, and names exactly the ranges of those blocks. Offsets must be those of `sound`.
// Returns false if they do not agree, which has been reported.
bool expect_all_but(const SoundLog& sound, const std::set<std::size_t>& lost, const ReadLog& damaged);

// EXPECTs that each record of the one lost data block is told as missing from its ring, and nothing else.
void expect_exact_losses(const SoundLog& sound, const SoundBlock& lost, const ReadLog& damaged);

}  // namespace steno::test
