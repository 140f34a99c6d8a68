// Walks the blocks of a file and finds its way again after damage (file.md §1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "format/block.h"
#include "reader/damage.h"

namespace steno::reader {

struct ScannedBlock {
  format::BlockHeader header;
  format::SessionTag tag;    // whose it is
  std::uint64_t offset = 0;  // of the header in the file
  std::span<const std::uint8_t> payload;
};

// With more than one thread, blocks are hashed up to `window` bytes ahead of BlockScanner::next(), by all of them.
struct LookAhead {
  unsigned threads = 1;
  std::uint64_t window = std::uint64_t{1} << 26;
};

// Delivers every block whose header and checksum hold, in file order. What lies between goes to damage().
//
// Whose a block is shows in its checksum, so sessions must be known: by their session blocks, indexes, or know(). The
// first block of an unknown one makes the scanner look through the whole file for what names it. Where nothing does,
// two different blocks or more that are alike in this prove each other.
//
// Cost: each byte of a sound file is hashed once. After damage every place that carries the magic, at a multiple of 8
// or not (bytes may have been inserted or removed), is a candidate and hashed in full, so a hostile file could ask for
// quadratic work; the hashing spent on false candidates is therefore limited to kFalseStartBudget plus 8 times the
// file, and after that the rest of the file is given up as one damage.
class BlockScanner {
 public:
  static constexpr std::uint64_t kFalseStartBudget = std::uint64_t{1} << 28;

  // Views `file`. Only what lies between `begin` and `end` is looked at, which are 0 or multiples of 8 between blocks,
  // and the end of the file.
  explicit BlockScanner(std::span<const std::uint8_t> file, const LookAhead& ahead = {})
      : BlockScanner(file, 0, file.size(), ahead) {}
  BlockScanner(std::span<const std::uint8_t> file, std::uint64_t begin, std::uint64_t end, const LookAhead& ahead = {});

  // Blocks of this session are to be taken for sound.
  void know(format::SessionTag tag) { known_.insert(tag.packed()); }
  // The next sound block; nothing at the end.
  std::optional<ScannedBlock> next();

  // Complete once next() has returned nothing.
  const std::vector<Damage>& damage() const { return damage_; }
  std::uint64_t offset() const { return offset_; }
  // Nothing after here is looked at; next() returns nothing from now on.
  void stop() { offset_ = end_; }

 private:
  struct Hashed {
    std::uint64_t offset;
    std::uint32_t mark;
  };

  bool read_header(std::uint64_t offset, format::BlockHeader* header) const;
  bool block_at(std::uint64_t offset, ScannedBlock* block);
  void look_ahead();
  const Hashed* hashed_at(std::uint64_t offset);
  bool is_known(const ScannedBlock& block);
  void learn_sessions();
  std::uint64_t find_next(std::uint64_t from);
  bool another_writer_at(std::uint64_t offset, int tag) const;
  void report(std::uint64_t begin, std::uint64_t end);

  std::span<const std::uint8_t> file_;
  std::uint64_t offset_;
  std::uint64_t end_;
  std::uint64_t budget_;
  std::unordered_set<std::uint64_t> known_;  // SessionTag::packed()
  bool learned_ = false;
  const LookAhead ahead_;
  std::uint64_t ahead_end_ = 0;  // so far
  std::vector<Hashed> hashed_;
  std::size_t next_hashed_ = 0;  // the first that is not before where next() looks
  std::vector<Damage> damage_;
};

}  // namespace steno::reader
