// Decides whether the records that a damaged stretch of a file held are counted elsewhere, so that a loss can be stated
// exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "reader/log_file.h"

namespace steno::reader {

// Asks about the damage of one file, which must outlive this. Making it costs a look at each session.
class Accounting {
 public:
  explicit Accounting(const LogFile& file);

  // True: the stretch held blocks of sessions that the reader knows, and nothing else. What is missing of these shows
  // in the numbers of their rings and in the totals of their end blocks. False: it may have held anything, for instance
  // a session of which nothing is left. Costs a look at the headers in it.
  bool covers(const Damage& damage) const;

 private:
  bool is_filled_by_blocks(const Damage& damage) const;

  const LogFile& file_;
  std::uint64_t least_session_;
  std::vector<bool> is_known_;  // by tag
};

}  // namespace steno::reader
