// Writes data blocks: columns (file.md §6) and rows (file.md §7), straight from records in rings.
//
// The scribe walks and groups records; this part gathers each argument into a column, picks the codec that the values
// suggest, and packs. Nothing is allocated once the scratch memory has grown to the largest block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "format/block.h"
#include "steno/level.h"
#include "wire/record.h"

namespace steno::format {

// Consecutive records of one thread in one ring.
struct Run {
  std::uint32_t thread = 0;
  std::uint32_t ring = 0;
  std::uint32_t records = 0;
  std::uint64_t first_seq = 0;
  std::uint64_t end = 0;  // ring position after the run
};

// The records of one site with one logger in this block, at least one.
struct Group {
  std::uint32_t site = 0;
  std::uint16_t logger = 0;
  Level level = Level::kInfo;
  const wire::Layout* layout = nullptr;
  const std::byte* base = nullptr;  // of its offsets; null: the block's
  std::uint32_t first = 0;          // its slice of BlockInput::offsets
  std::uint32_t records = 0;
  // Where the last fields are the same in all records, these need not have them: the layout without them, and their
  // values as a record has them, the fixed parts, then the payloads. nullptr: the records have all fields. Only of
  // kLeastApart records and more.
  const wire::Layout* own_layout = nullptr;
  std::string_view constants;

  static constexpr std::uint32_t kLeastApart = 128;  // fewer may come into rows, or stacks
  const wire::Layout& layout_of_records() const { return own_layout != nullptr ? *own_layout : *layout; }
};

// Records, already walked and grouped. All views; nothing is owned. Records in rings are those of the own process or
// were validated before (sizes fit, payload lengths fit their record).
struct BlockInput {
  const std::byte* base = nullptr;  // offsets are in units of 8 bytes from here
  std::span<const Run> runs;
  std::span<const Group> groups;
  std::span<const std::uint32_t> order;    // per record in the order of runs: index of its group
  std::span<const std::uint64_t> clocks;   // per record in the order of runs
  std::span<const std::uint32_t> offsets;  // per record, group after group, in the order of runs within each

  const std::byte* base_of(const Group& group) const { return group.base != nullptr ? group.base : base; }
};

struct WriterOptions {
  int zstd_level = 0;             // as Options::zstd_level
  std::uint32_t rows_below = 64;  // fewer records than this become a rows block; at most Group::kLeastApart
  bool stack_groups = true;       // of few records, so that they share columns
  // Memory that dictionaries of strings which outlive a block (file.md §12) may take; 0: there are none.
  std::size_t shared_bytes = 0;
};

// The time that a block may cost its writer: as much as makes it small, or little. What is read from it is the same.
enum class Effort : std::uint8_t {
  kFull,
  kBrisk,  // no entropy codes
  kQuick,  // nor symbols, zstd, shapes of many pieces, and none are looked for
};

// One per scribe. Not thread-safe.
class DataWriter {
 public:
  explicit DataWriter(WriterOptions options);
  ~DataWriter();

  // Appends one data block, framed and checksummed, and before it a strings block if it needs one. Requires 1 to 2^22
  // records of together at most 2^27 bytes, so that the block cannot pass kMaxPayload.
  // Returns whether kQuick left something out; the block has kQuickFlag then.
  bool write(const BlockInput& input, SessionTag session_tag, ByteBuffer& out, Effort effort = Effort::kFull);
  // After an index block, and in a new file: blocks refer to no strings that were written before.
  void begin_stretch();
  // Begins a session likewise; its dictionaries of strings have numbers from `first` on, which the session must not
  // have had yet.
  void begin_session(std::uint64_t first);

 private:
  struct Scratch;
  WriterOptions options_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace steno::format
