// The time between two statements that share a key: latency between any two log lines.
//
// Every record of the second statement ends the earliest record of the first with the same keys that is not after it
// and that nothing has ended yet, or the latest of these. Times are wall-clock times, as `cat` shows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/cell.h"
#include "query/statistics/chosen_records.h"
#include "query/statistics/duration_bins.h"
#include "query/statistics/moments.h"
#include "query/statistics/pair_groups.h"
#include "query/statistics/pair_keys.h"
#include "query/statistics/parts.h"

namespace steno::query {

// A key by which pairs are grouped: of their first record, or of their second.
struct PairBy {
  std::uint32_t side = 0;
  KeySpec spec;
};

// Parses groups as parse_keys() does keys, with what the first statement has, or else the second. kInvalidArgument:
// neither has it.
Result<std::vector<PairBy>> parse_pair_by(const std::vector<std::string>& texts, const Statement& first,
                                          const Statement& second, const TimeSpan* local_span);

struct PairQuestion {
  Subject subject;  // its statement is not looked at
  Statement first;
  Statement second;
  std::vector<PairKey> keys;       // at least one
  bool nearest = false;            // the latest one that waits, rather than the earliest
  std::int64_t above = INT64_MIN;  // ns: only pairs that take at least that long are counted in `above`, and listed
  std::size_t slowest = 10;
  std::vector<PairBy> by;                     // groups
  bool lines = false;                         // where the records of those listed are
  std::size_t memory = std::size_t{1} << 30;  // bytes; the log is read several times rather than take more
};

struct PairedRecords {
  std::vector<Cell> keys;
  std::int64_t begin = 0;  // ns since the epoch
  std::int64_t duration = 0;
};
struct UnpairedRecord {
  std::vector<Cell> keys;
  std::int64_t time = 0;
};

struct PairGroup {
  std::vector<Cell> keys;  // in the order of `by`
  Moments durations;
  std::vector<std::pair<double, std::int64_t>> quantiles;  // none of no pairs
  std::uint64_t above = 0;
  std::uint64_t first_alone = 0;  // if all keys are of the first record
};

struct PairAnswer {
  Moments durations;  // signed, ns
  std::vector<std::pair<double, std::int64_t>> quantiles;
  std::vector<DurationBar> bars;       // how many take how long
  std::vector<PairGroup> groups;       // of `by`, in the order of their keys; pairs that lack a key are in none
  std::vector<PairedRecords> slowest;  // slowest first
  std::uint64_t first_alone = 0;       // records of the first statement without one of the second; and the other way
  std::uint64_t second_alone = 0;
  std::uint64_t above = 0;
  // Records of the first statement that came while another one with the same keys was waiting: which of them a record
  // of the second belongs to is a guess.
  std::uint64_t waiting_twice = 0;
  // Records of the second statement that nothing waited for, and after which one of the first with the same keys came
  // that nothing ended: the two are in the wrong order, or their clocks differ.
  std::uint64_t reversed = 0;
  // No more pairs than these, in either order, are of records of one host: by how many of each statement it has.
  std::uint64_t most_of_one_host = 0;
  std::vector<UnpairedRecord> first_examples;  // a few of them, earliest first
  std::vector<UnpairedRecord> second_examples;
  ChosenRecords lines;  // those of `slowest`, in its order
  std::vector<reader::DecodeFailure> failures;
};

// kInvalidArgument: the keys cannot be compared. kExhausted: of one key more records wait at once, or are of one time,
// than memory has room for; or there are more than PairGroups::kMost groups.
Result<PairAnswer> pair_records(const PairQuestion& question);

}  // namespace steno::query
