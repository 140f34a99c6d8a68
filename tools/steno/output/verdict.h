// The verdict of `steno verify`: whether files are complete, and what is missing.
#pragma once

#include <cstdint>
#include <string>

#include "reader/log_set.h"
#include "reader/losses.h"
#include "reader/statistics.h"

namespace steno::cli {

// "complete: 12 records, 1 thread, 1 session, 0 lost". `clock`: as of clock_uncertainty().
std::string verdict_text(const reader::LossReport& report, std::uint32_t clock);

// The reports of the files of a set, as one.
class Verdict {
 public:
  void add(const reader::LossReport& report, std::uint32_t clock);
  bool complete() const { return sum_.complete(); }
  std::uint64_t lost() const { return sum_.lost; }
  bool exact() const { return sum_.exact; }  // false: there may be more lost
  // The sentence about all of them. `files`: those that were added.
  std::string text(reader::Files files) const;

 private:
  reader::LossReport sum_;
  std::uint32_t clock_ = 0;
};

}  // namespace steno::cli
