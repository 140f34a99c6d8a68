// Records that are looked for one by one: those with the greatest values of an argument, the first or last ones, and
// all that share a key with others (lines_of.h). They are printed in another order than that of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/filter/statement.h"
#include "query/statistics/parts.h"
#include "reader/decode_failure.h"
#include "steno/status.h"

namespace steno::query {

// Where a record is.
struct RecordRef {
  std::uint32_t file = 0;    // index among the set's files
  std::uint32_t block = 0;   // among the file's blocks
  std::uint32_t record = 0;  // in the block
  std::int64_t wall = 0;
  std::int64_t began = 0;  // its session (reader::Session::began())
  std::uint64_t rank = 0;  // of its value or key: records come in the order of ranks, then of time
};

// Makes one of a row of a part; and the order of ChosenRecords.
RecordRef ref_of(const Part& part, std::uint32_t row, std::uint64_t rank);
bool is_before(const RecordRef& a, const RecordRef& b);

struct ChosenRecords {
  std::vector<RecordRef> records;  // in order
  std::uint64_t keys = 0;          // of find_lines_of(): how many
  std::vector<reader::DecodeFailure> failures;
};

// The `n` with the greatest values of a number, greatest first; of equal ones the earliest. NaN is none of them.
// Memory: 40 bytes for each of them and each thread. kInvalidArgument: the argument is a string.
Result<ChosenRecords> find_greatest(const Subject& subject, const ArgumentOf& argument, std::size_t n);

// The first `n` in the order of time, or the last `n`, latest first: behind `beyond` in that order, which may be a
// record that the logs no longer have. Records of one time are in the order of files and blocks. Reads blocks in the
// order of their times until no other can have one. Memory: 40 bytes for each of them and each thread.
enum class TimeOrder { kOldest, kNewest };
ChosenRecords find_in_order(const Subject& subject, TimeOrder order, std::size_t n,
                            const std::optional<RecordRef>& beyond = {});

}  // namespace steno::query
