// Differences between two logs: statements that are new or gone, or whose rate or arguments changed.
//
// Statements are distinguished by their stable ids, so a rebuild or an edit elsewhere in the file changes nothing.
// Where most statements log more or less often by the same factor, the load changed: that is one difference if it is
// certain, and rates are compared with it in any case. Each difference has the probability that chance alone makes one
// as large anywhere; since with many records any trifle is no chance, a difference must be of some size too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/statistics/parts.h"

namespace steno::query {

struct DiffOptions {
  double least_rate = 1.25;     // a rate that changed by this factor, up or down, against the other statements
  double least_distance = 0.1;  // of distributions: 0 the same, 1 nothing in common
  double least_rise = 3;        // a value whose share changed by this factor, up or down
  double least_score = 3;       // significance.h; corrected for how much is compared
};

struct Difference {
  // kAll: the load. kArgument: its distribution. kValue: how often one of its values comes, else it is much the same.
  enum class Kind { kAll, kNew, kGone, kRate, kArgument, kValue };
  Kind kind = Kind::kNew;
  const reader::Site* site = nullptr;  // none with kAll
  std::string argument;                // kArgument and kValue
  double score = 0;                    // minus log10 of the probability that chance does as much anywhere
  double effect = 0;                   // how large it is, 0 to 1: see diff.cc
  std::uint64_t before = 0;            // records
  std::uint64_t after = 0;
  double rate_before = 0;  // records a second
  double rate_after = 0;
  double factor = 1;        // of the rate; against the load but for kAll
  double share_before = 0;  // of all records, 0 to 1
  double share_after = 0;
  // kArgument and kValue.
  std::uint64_t values_before = 0;  // that were compared; those that are absent too
  std::uint64_t values_after = 0;
  double distance = 0;  // kArgument: Kolmogorov-Smirnov, or the half of all that moved between texts
  std::string value;    // "median", a text in quotes, a number, a range of numbers, or "absent"
  std::string from;     // before: the median, or how often the value came
  std::string to;       // after
};

struct DiffAnswer {
  std::vector<Difference> differences;  // kAll, then the most important first (rank_of)
  std::uint64_t records_before = 0;
  std::uint64_t records_after = 0;
  double seconds_before = 0;
  double seconds_after = 0;
  std::size_t statements = 0;         // that were compared
  std::vector<std::string> counters;  // arguments that were not, for they count up
  std::vector<reader::DecodeFailure> failures;
};

// By size and certainty; warnings and what is more important count twice.
double rank_of(const Difference& difference);

// Memory: samples of each argument, some 128 KB a side of numbers, and the texts' beginnings.
DiffAnswer diff_logs(const Subject& before, const Subject& after, const DiffOptions& options);

}  // namespace steno::query
