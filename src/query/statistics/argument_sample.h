// A random sample of an argument's values, and how two samples differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "query/statistics/parts.h"

namespace steno::query {

inline constexpr std::size_t kSample = 16'384;  // records of a statement, about; all of them if there are no more

// Numbers, or how often which text came; and how many records had no value (types.md, "Values that may be absent").
struct ArgumentSample {
  struct Text {
    std::string begin;  // its first kShownText bytes, to be shown
    std::uint64_t count = 0;
  };
  std::vector<double> numbers;
  std::unordered_map<std::uint64_t, Text> texts;  // by hash
  std::uint64_t texts_seen = 0;
  std::uint64_t absent = 0;
  // Counts of neighbours in the log that are both in the sample, and of those that grow.
  std::uint64_t steps = 0;
  std::uint64_t ascents = 0;
  std::uint64_t descents = 0;  // and those that become less

  std::uint64_t present() const { return numbers.size() + texts_seen; }
  std::uint64_t size() const { return present() + absent; }
  // Returns whether values are numbers that all differ and grow, as those of ids and offsets do.
  bool counts_up() const;
  void add(const ArgumentSample& more);
};

// Returns whether no value is in both samples, and there are many of them, each of few records: ids of requests, of
// users' sessions, of transactions. Few values, such as versions, are no ids, nor are numbers that have fractions or
// that do not mostly grow in the log, as times and sizes do not.
bool all_new(const ArgumentSample& before, const ArgumentSample& after);

// Which rows of a part are in the sample: chosen by a hash of where they are. Rows at a fixed distance would fall in
// step with logs that repeat themselves.
class RowSampler {
 public:
  // Chooses about kSample of `records` rows.
  RowSampler(const Part& part, std::uint64_t records);
  bool chooses(std::size_t row) const;

 private:
  std::uint64_t base_;
  std::uint64_t limit_;  // of hashes
};

// Adds the values of a column that are in the sample. A damaged column ends early: BlockView::status().
void sample_column(const Part& part, std::uint32_t column, const RowSampler& rows, ArgumentSample* sample);

// The difference between two samples. Both may be empty: there is none.
struct SampleDifference {
  double distance = 0;        // Kolmogorov-Smirnov; of texts the half of all that moved; or by which the share of
                              // absent values changed, if that is more
  double distance_score = 0;  // significance.h
  std::string value;          // what tells it best: "median", the text whose share changed most, or "absent"
  std::string from;           // ... before
  std::string to;             // ... and after

  // The value, or the range at either end, whose share changed by least_rise or more and where chance is least likely.
  // None: the score is 0.
  double rise = 1;        // that factor
  double rise_score = 0;  // corrected for the number of values that it was chosen from
  std::string rare_value;
  std::string rare_from;
  std::string rare_to;
};
SampleDifference compare_samples(const ArgumentSample& before, const ArgumentSample& after, double least_rise);

}  // namespace steno::query
