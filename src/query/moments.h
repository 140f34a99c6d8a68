// Count, extremes, sum and spread of numbers, gathered part by part.
#pragma once

#include <cstddef>
#include <cstdint>

#include "query/ordered.h"
#include "text/number.h"

namespace steno::query {

struct Moments {
  std::uint64_t records = 0;  // all
  std::uint64_t count = 0;    // those that are numbers: NaN is none
  std::uint64_t least = UINT64_MAX;  // keys (ordered.h)
  std::uint64_t greatest = 0;
  text::Int128 sum = 0;      // of integers, exact
  long double real_sum = 0;  // of reals
  double mean = 0;           // of those in m2
  double m2 = 0;             // sum of squared distances from the mean

  void merge(const Moments& other);
  // One number, by its key.
  void add(NumberKind kind, std::uint64_t key);

  Cell sum_cell(NumberKind kind) const;
  double mean_value(NumberKind kind) const;
  // Of a sample (n - 1); NaN of fewer than two.
  double deviation() const;
};

// What a question needs of the moments; the rest is left 0.
struct MomentNeeds {
  bool extremes = false;
  bool sum = false;
  bool spread = false;
};

// Adds n values as columns hold them: integers extended to 64 bits, or the bits of binary64. `keep`: nullptr, or which
// of them count.
void add_column(NumberKind kind, const std::uint64_t* values, std::size_t n, const std::uint8_t* keep,
                const MomentNeeds& needs, Moments* moments);

}  // namespace steno::query
