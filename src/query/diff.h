// What is different between two logs: statements that are new or gone, or whose rate or arguments changed.
//
// Statements are told apart by their stable ids, so a rebuild or an edit elsewhere in the file changes nothing. Each
// difference has the probability that chance alone makes one as large; since with many records any trifle is no chance,
// a difference must be of some size too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/parts.h"

namespace steno::query {

struct DiffOptions {
  double least_rate = 1.25;     // a rate that changed by this factor, up or down
  double least_distance = 0.1;  // of distributions: 0 the same, 1 nothing in common
  double least_score = 3;       // minus the decimal logarithm of that probability
};

struct Difference {
  enum class Kind { kNew, kGone, kRate, kArgument };
  Kind kind = Kind::kNew;
  const reader::Site* site = nullptr;
  std::string argument;      // kArgument
  double score = 0;          // minus log10 of the probability that chance does as much
  std::uint64_t before = 0;  // records
  std::uint64_t after = 0;
  double rate_before = 0;  // records a second
  double rate_after = 0;
  double distance = 0;  // kArgument: Kolmogorov-Smirnov, or the half of all that moved between texts
  std::string from;     // kArgument: the median, or the most frequent text, before
  std::string to;       // ... and after
};

struct DiffAnswer {
  std::vector<Difference> differences;  // most significant first
  double seconds_before = 0;
  double seconds_after = 0;
  std::size_t statements = 0;  // that were compared
  std::vector<reader::DecodeFailure> failures;
};

// Memory: a sample of each argument, some 128 KB at the most.
DiffAnswer diff_logs(const Subject& before, const Subject& after, const DiffOptions& options);

// Statistics, for tests. Each is -log10 of the probability of a value as large by chance.
double score_of_chi_square(double value, double degrees);
double score_of_distance(double distance, double n, double m);

}  // namespace steno::query
