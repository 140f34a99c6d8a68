// The parts of a log that a question is asked of: groups of data blocks, found by directory and zone, and walked by
// several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/work_meter.h"
#include "query/filter/block_sites.h"
#include "query/filter/time_spec.h"
#include "reader/decode_failure.h"
#include "reader/log_set.h"

namespace steno::query {

// The records that a question is about: those of these statements that fulfil the condition.
struct Subject {
  const reader::LogSet* logs = nullptr;
  const Statement* statement = nullptr;  // nullptr: all
  const Predicate* predicate = nullptr;  // nullptr: no condition
  TimeSpan span;               // what the condition says of times, as far as options do: other blocks are passed over
  WorkMeter* meter = nullptr;  // counts the records of each block that has been looked at; may stop it
};

// One group of one block with records that are wanted.
struct Part {
  BlockView* view = nullptr;
  std::size_t file = 0;   // index among the set's files
  std::size_t block = 0;  // index among the file's blocks
  std::size_t group = 0;
  const std::uint8_t* keep = nullptr;  // which rows; nullptr: all of them
  std::uint32_t rows = 0;
  std::uint32_t kept = 0;  // at least one

  bool is_kept(std::size_t row) const { return keep == nullptr || keep[row] != 0; }
};

struct BlockRef {
  std::uint32_t file = 0;
  std::uint32_t block = 0;

  friend bool operator<(const BlockRef& a, const BlockRef& b) {
    return a.file != b.file ? a.file < b.file : a.block < b.block;
  }
};

// Calls visit(worker, part) for every part, from thread_count() threads at once; calls of one worker do not overlap.
// Failures are the blocks that cannot be decoded; what was visited of them before that has been visited.
class PartWalk {
 public:
  using Visit = std::function<void(unsigned worker, const Part& part)>;

  explicit PartWalk(const Subject& subject);

  unsigned workers() const { return workers_; }
  std::span<const BlockRef> blocks() const { return all_; }
  // All blocks, or those given.
  void run(const Visit& visit);
  void run(std::span<const BlockRef> blocks, const Visit& visit);
  // That many runs over all blocks are still to come, as far as is known: for the meter. Those that come beyond these
  // count when they begin; expect(0) takes back those that did not come.
  void expect(unsigned runs);
  // Failures of the last run.
  const std::vector<reader::DecodeFailure>& failures() const { return failures_; }
  // From here on blocks that failed in the last run count as not there. False: none did.
  bool leave_out_failed();

 private:
  struct Worker;
  bool may_have(const reader::LogFile& file, const reader::BlockEntry& entry) const;
  std::uint32_t records_of(const BlockRef& ref) const;
  void visit_block(Worker& worker, const BlockRef& ref, const Visit& visit);

  Subject subject_;
  unsigned workers_;
  std::vector<BlockRef> all_;
  unsigned expected_ = 0;  // runs that the meter knows of
  std::vector<BlockRef> failed_;
  std::vector<reader::DecodeFailure> failures_;
};

}  // namespace steno::query
