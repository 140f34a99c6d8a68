// Numbers from a log: count, extremes, mean, quantiles, distinct values, the most frequent ones, a histogram; all
// together or by keys. Exact, unless a result says otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "query/cell.h"
#include "query/filter/statement.h"
#include "query/statistics/grouping.h"
#include "query/statistics/parts.h"

namespace steno::query {

struct Operation {
  enum class Kind {
    kCount,
    kMin,
    kMax,
    kMean,
    kSum,
    kDeviation,
    kQuantile,
    kDistinct,
    kTop,
    kHistogram,
    kShare,  // of all records that are wanted and have the keys and the argument
    kRatio,  // of the records, how many fulfil the condition
    kFirst,  // time of the first record, of the last
    kLast,
  };
  Kind kind = Kind::kCount;
  std::string title;                           // as the user wrote it
  double quantile = 0;                         // in [0, 1]
  std::size_t size = 0;                        // kTop: how many; kHistogram: how many bars, at most
  bool sized = false;                          // somebody has asked for that number
  std::string condition;                       // kRatio: as for --where
  std::shared_ptr<const Predicate> predicate;  // kRatio: the same, bound to the logs: whoever asks adds it
};

// "count,p99.9,top:5,ratio(level >= ERROR)" and the like. kInvalidArgument: an unknown one.
Result<std::vector<Operation>> parse_operations(const std::vector<std::string>& texts);
// These return whether the operation needs an argument at all, and one that is a number.
bool needs_argument(const Operation& operation);
bool needs_number(const Operation& operation);

struct AnswerRow;

// How many records of each row came in each step of time; those outside are left out.
struct Course {
  std::int64_t from = 0;  // where the first step begins
  std::int64_t step = 1;  // ns, at least 1
  std::size_t steps = 0;  // 0: not asked for
};

struct Question {
  Subject subject;
  std::vector<Operation> operations;
  ArgumentOf argument;  // if any operation needs one
  // Which records have the argument, if some may not: these are counted, and have no number. Without it, all that the
  // subject wants must have it. For operations that want numbers, not values.
  const Predicate* has_argument = nullptr;
  Course course;
  // More groups than these are a failure. It is found soon, with some more.
  std::size_t most_groups = SIZE_MAX;
  std::vector<KeySpec> keys;
  // Bytes. Keys and values that do not fit take several passes over the log, each of a range of them.
  std::size_t memory = std::size_t{1} << 30;
  // Called with the rows of each pass, in order; a failure ends the aggregation. Without it the answer has all rows,
  // whatever memory they take.
  std::function<Status(std::vector<AnswerRow> rows, bool last)> take_rows;
};

// Rows for steps of time without a record are not made beyond so many rows.
inline constexpr std::size_t kMostSteps = 100'000;

struct Frequency {
  Cell value;
  std::uint64_t count = 0;
};
// Bars of a histogram are equally wide. Those of durations are as of DurationBins, unless their number was asked for,
// or some are negative.
struct Bar {
  double low = 0;
  double high = 0;  // not in it, but in the last bar
  std::uint64_t count = 0;
};

struct AnswerRow {
  std::vector<Cell> keys;
  std::vector<Cell> values;  // an operation each; none for kTop and kHistogram
  std::vector<Frequency> top;
  std::vector<Bar> bars;
  std::vector<std::uint64_t> course;  // the count in each step
};

struct Answer {
  // In the order of the keys; a single one without keys. With a key of time there is a row for each step that the log
  // has, also for those without a record that is wanted: for each combination of the other keys.
  std::vector<AnswerRow> rows;
  // If those would be more than kMostSteps rows, or do not fit into memory: so many steps, none of them here.
  std::uint64_t steps_left_out = 0;
  std::uint64_t records = 0;  // that are wanted, of all groups
  std::vector<reader::DecodeFailure> failures;
};

// kInvalidArgument: the argument does not have a type that the operations want. kExhausted: more than most_groups.
Result<Answer> aggregate(const Question& question);

}  // namespace steno::query
