// The time between two statements that share a key: latency between any two log lines.
//
// Every record of the second statement ends the earliest record of the first with the same key that is not after it and
// that nothing has ended yet. Times are wall-clock times, as `cat` shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/cell.h"
#include "query/statistics/moments.h"
#include "query/statistics/parts.h"

namespace steno::query {

struct PairQuestion {
  Subject subject;  // its statement is not looked at
  Statement first;
  Statement second;
  ArgumentOf first_key;
  ArgumentOf second_key;
  std::size_t slowest = 10;
  std::size_t memory = std::size_t{1} << 30;  // bytes; the log is read several times rather than take more
};

struct PairedRecords {
  Cell key;
  std::int64_t begin = 0;  // ns since the epoch
  std::int64_t duration = 0;
};
struct UnpairedRecord {
  Cell key;
  std::int64_t time = 0;
};

struct PairAnswer {
  Moments durations;  // signed, ns
  std::vector<std::pair<double, std::int64_t>> quantiles;
  std::vector<PairedRecords> slowest;  // slowest first
  std::uint64_t first_alone = 0;       // records of the first statement without one of the second; and the other way
  std::uint64_t second_alone = 0;
  std::vector<UnpairedRecord> first_examples;  // a few of them, earliest first
  std::vector<UnpairedRecord> second_examples;
  std::vector<reader::DecodeFailure> failures;
};

// kInvalidArgument: the keys cannot be compared. kExhausted: of one key more records wait at once, or are of one time,
// than memory has room for.
Result<PairAnswer> pair_records(const PairQuestion& question);

}  // namespace steno::query
