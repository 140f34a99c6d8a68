// The records that a file lacks, and the evidence behind `steno verify`.
//
// It rests on four things: damage that the scan met, sequence numbers of the rings (a gap between runs is records that
// were written but are not here), records that report drops, and the totals in the end block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/work_meter.h"
#include "reader/log_file.h"

namespace steno::reader {

enum class LossCause {
  kDamage,       // bytes of the file that cannot be used; what they held shows as kMissing where it can be known
  kMissing,      // a gap in the sequence of a ring
  kDropped,      // refused by policy: the ring was full
  kDiscarded,    // could not be logged at all
  kNoEnd,        // the session has no end block and its staging is gone: what came after its last block is unknown
  kUnprintable,  // records that are there, but the dictionary entry of their statement is not
  kStrings,      // values that are shown as {!missing string}; looked for with the content
  kTotals,       // the end block counts more records than there are, and no ring says which
};

struct Loss {
  LossCause cause = LossCause::kDamage;
  std::size_t session = SIZE_MAX;  // index in LogFile::sessions(); SIZE_MAX: none in particular
  std::uint64_t records = 0;       // lost; 0: unknown. kStrings: values
  DamageKind damage_kind = DamageKind::kContent;
  std::uint64_t offset = 0;  // kDamage
  std::uint64_t size = 0;
  std::uint32_t ring = 0;  // kMissing
  std::uint64_t first_seq = 0;
  std::string thread;                  // kMissing: who logged around it
  std::int64_t from_wall = INT64_MIN;  // between these times; the extremes: open
  std::int64_t to_wall = INT64_MAX;
  std::string reason;  // kDamage, kDiscarded
  // kMissing: where in the file they were, and every time that they can have been logged at. Wider than from_wall and
  // to_wall, which the times of blocks around suggest.
  std::uint64_t begin_offset = 0;
  std::uint64_t end_offset = UINT64_MAX;
  std::int64_t earliest = INT64_MIN;
  std::int64_t latest = INT64_MAX;
  bool accounted = true;  // kDamage: the records that it held are kMissing or kTotals (accounted.h)
};

struct LossReport {
  std::vector<Loss> losses;
  std::uint64_t lost = 0;         // records that are known to be missing
  bool exact = true;              // false: there may be more of these than `lost`
  std::uint64_t unprintable = 0;  // records that are there, but without the text of their statement
  std::uint64_t records = 0;      // that are there
  std::uint64_t repeated = 0;     // of which copies were skipped
  std::uint64_t threads = 0;      // that logged
  std::uint64_t sessions = 0;
  std::uint64_t running = 0;      // sessions that go on
  std::uint64_t died = 0;         // sessions whose process died, and what it left is here
  std::uint64_t overwritten = 0;  // of flight recorders, that nothing asked for in time: none of them is a loss
  // Written to another file, which was removed or moved, or is not in the set: what came before the session's first
  // here (file.md §3). None of them is a loss.
  std::uint64_t in_other_file = 0;
  std::uint64_t cut_short = 0;  // writes that a crash cut short and that were made again: nothing of them is missing

  bool complete() const { return losses.empty(); }
};

struct LossOptions {
  bool drops = true;  // look for drop records too: reads parts of some blocks
  // For that all blocks are checked that nobody has read; else those alone that may have such records.
  bool unread = true;
  bool content = false;  // decode everything, to prove that it can be
  WorkMeter* meter = nullptr;
};

// Throws WorkStopped if the meter was stopped.
LossReport find_losses(const LogFile& file, const LossOptions& options);

}  // namespace steno::reader
