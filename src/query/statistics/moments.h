// Count, extremes, sum and spread of numbers, gathered part by part.
#pragma once

#include <cstddef>
#include <cstdint>

#include "query/ordered.h"
#include "query/search/number_stream.h"
#include "text/number.h"

namespace steno::query {

// The moments that a question needs; the others may be anything.
struct MomentNeeds {
  bool extremes = false;
  bool sum = false;
  bool spread = false;
};

struct Moments {
  std::uint64_t records = 0;         // all
  std::uint64_t count = 0;           // those that are numbers: NaN is none
  std::uint64_t least = UINT64_MAX;  // keys (ordered.h)
  std::uint64_t greatest = 0;
  text::Int128 sum = 0;      // of integers, exact
  long double real_sum = 0;  // of reals
  // The mean is kept as a distance from some number near by: of large numbers that differ little it would lose what
  // makes them differ.
  long double origin = 0;
  double mean = 0;  // minus origin
  double m2 = 0;    // sum of squared distances from the mean

  void merge(const Moments& other);
  // One number, by its key.
  void add(NumberKind kind, std::uint64_t key, const MomentNeeds& needs);

  Cell sum_cell(NumberKind kind) const;
  double mean_value(NumberKind kind) const;
  // The standard deviation of a sample (n - 1); NaN for fewer than two values.
  double deviation() const;
};

// `numbers.n` is at most kMiniBlock. `keep`: nullptr, or which of them count.
void add_numbers(NumberKind kind, const Numbers& numbers, const std::uint8_t* keep, const MomentNeeds& needs,
                 Moments* moments);

}  // namespace steno::query
