// Which statements write to a log now: records and bytes of each, in rounds of a given length.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "reader/slab.h"

namespace steno::cli {

struct TopRow {
  Level level = Level::kInfo;
  std::string file;
  std::uint32_t line = 0;
  std::string format;
  std::uint64_t records = 0;  // in this round
  std::uint64_t bytes = 0;    // of these in the rings: 16 each and the arguments, before they are compressed
  std::uint64_t total_records = 0;
  std::uint64_t total_bytes = 0;
};

struct TopRound {
  std::int64_t time = 0;  // when it ended, ns since the epoch
  double seconds = 0;     // how long it took
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t total_records = 0;
  std::uint64_t total_bytes = 0;
  std::vector<TopRow> rows;  // most records first, then most in total
};

class TopCounts {
 public:
  void add(const reader::Slice& slice);
  // The counts added since the last round.
  TopRound end_round(std::int64_t time, double seconds);

 private:
  TopRow& row_of(const reader::Site& site);

  std::unordered_map<std::uint64_t, TopRow> rows_;  // by the statement's stable id
};

}  // namespace steno::cli
