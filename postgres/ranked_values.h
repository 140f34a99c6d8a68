// Integers that are kept to say which of them is the n-th in order: exact percentiles, without sorting.
#pragma once

#include "postgres.h"

// All zeros: empty. Memory: 4 bytes a value from 0 to 2^32 - 1, else 8, and room to grow; of the context in which the
// first was added.
typedef struct RankedValues {
  uint32* narrow;
  Size narrow_count;
  Size narrow_room;
  int64* wide;
  Size wide_count;
  Size wide_room;
} RankedValues;

void steno_grow_narrow(RankedValues* values);
void steno_add_wide(RankedValues* values, int64 value);

static inline void steno_add_value(RankedValues* values, int64 value) {
  if (unlikely((uint64)value > PG_UINT32_MAX)) {
    steno_add_wide(values, value);
    return;
  }
  if (unlikely(values->narrow_count == values->narrow_room)) steno_grow_narrow(values);
  values->narrow[values->narrow_count++] = (uint32)value;
}

static inline Size steno_value_count(const RankedValues* values) {
  return values->narrow_count + values->wide_count;
}

enum { kMostRanks = 8 };  // that are asked for at once
// found[i]: the value that ranks[i] others precede in order; ranks ascend and are below the count. Time: linear, for
// what is not wide. Memory: as much again as the values of some close ranks take.
void steno_find_ranks(RankedValues* values, const Size* ranks, int count, int64* found);
