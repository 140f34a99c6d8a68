// How many values of an argument lie between which bounds in each step of time; and pairs of values of two arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "query/filter/statement.h"
#include "query/statistics/chosen_records.h"
#include "query/statistics/parts.h"
#include "query/statistics/time_line.h"

namespace steno::query {

struct HeatMap {
  // One more than there are buckets, rising: bucket k has the values in [edges[k], edges[k + 1]). All of a ratio, but
  // for the first bucket, which has what is not positive if there is any. Empty: no value.
  std::vector<double> edges;
  std::vector<std::vector<std::uint64_t>> cells;  // by step of time, then by bucket
  std::vector<reader::DecodeFailure> failures;
};

// At most `most_buckets`, at least 2. `steps`: the steps of time; its counts are not looked at. NaN and infinities are
// left out. kInvalidArgument: the argument is a string. `subject` has only records that have the argument.
Result<HeatMap> make_heat_map(const Subject& subject, const ArgumentOf& argument, const TimeLine& steps,
                              std::size_t most_buckets);

struct PairOfValues {
  double x = 0;
  double y = 0;
  RecordRef ref;
};
struct Scatter {
  std::vector<PairOfValues> points;  // in the order of time
  std::uint64_t total = 0;           // of which these are
  std::vector<reader::DecodeFailure> failures;
};

// Both values of records that have both, NaN and infinities left out: all, or `most` that are chosen evenly and alike
// each time. kInvalidArgument: one of them is a string.
Result<Scatter> make_scatter(const Subject& subject, const ArgumentOf& x, const ArgumentOf& y, std::size_t most);

}  // namespace steno::query
