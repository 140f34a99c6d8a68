// Which part of the logs holds the last records of the output: for those who want no more than these.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reader/log_set.h"

namespace steno::reader {

struct LastRecords {
  std::vector<std::vector<std::uint8_t>> blocks;  // by file and block: 1 if it may have any of them
  bool all = true;                                // there are no more than were asked for
  // Sorted: they are all that have this merge key or a greater one. None: all records.
  std::optional<std::int64_t> key;
  // Unsorted: they begin with this run of this file.
  std::size_t file = 0;
  std::uint64_t run = 0;
};

// At least `records`, if there are so many, by the bounds of the blocks alone. Blocks that turn out to be
// damaged are counted.
LastRecords find_last_records(const LogSet& logs, bool sorted, std::uint64_t records);

}  // namespace steno::reader
