// Holds a log against what was logged: every number that a thread counted is there exactly once, in order, with its
// arguments intact, or is among those that the log itself says were dropped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numbered.h"

namespace steno::crash {

// One record, from the reader or from what `steno cat` prints.
struct Line {
  std::string_view thread;
  std::string_view logger;
  Level level = Level::kInfo;
  std::string_view message;
};

// Feed it all records in the order in which a reader shows them; then hold each run against its counts. May be fed on
// and on: it keeps a few numbers per thread.
class Ledger {
 public:
  void add(const Line& line);

  // Checks that the run of that number is complete. `done`: how many calls of each thread had returned; one more record
  // than that may be in the log, or reported as dropped, unless the run ended in order.
  void check(std::uint64_t run, const Counts& counts, bool orderly = false);

  std::uint64_t records() const { return records_; }
  std::uint64_t dropped(std::uint64_t run) const;
  // Returns how many records report that this process died; more than one are a problem.
  std::uint64_t deaths(pid_t pid) const;
  std::uint64_t deaths() const { return deaths_.size(); }
  // Returns true if nothing at all of that run is in the log.
  bool absent(std::uint64_t run) const;
  bool complete() const { return problem_count_ == 0; }
  // Returns the first few problems, a line each.
  std::string problems() const;

 private:
  struct Thread {
    std::uint64_t next = 0;                 // the number after the last one seen
    std::uint64_t present = 0;              // records
    std::uint64_t gap = ~std::uint64_t{0};  // the first number that was skipped
    std::uint64_t dropped = 0;              // that the log says so
    std::uint64_t pending = 0;              // of these, since the last record
    std::vector<std::string> unplaced;      // records without a number, after a gap of unknown size
  };
  using Key = std::pair<std::uint64_t, unsigned>;  // run, thread

  bool add_death(std::string_view message);
  bool add_loss(std::uint64_t run, Thread* thread, std::string_view message);
  bool place(unsigned id, Thread* thread, const Line& line, std::uint64_t number);
  void place_behind_gap(const Key& key, Thread* thread, const Line& line);
  bool place_unplaced(unsigned id, Thread* thread, std::uint64_t end);
  void report(const Key& key, const std::string& what);

  std::map<Key, Thread> threads_;
  std::map<std::uint64_t, std::uint64_t> discarded_;  // by run
  std::map<std::uint64_t, std::uint64_t> deaths_;     // by pid
  std::uint64_t records_ = 0;
  std::uint64_t problem_count_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace steno::crash
