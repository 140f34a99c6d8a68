#include "ranked_values.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

// Made in CurrentMemoryContext where there was none.
static void* grow(void* from, Size* room, Size size) {
  *room = from == NULL ? 16 : *room + *room / 2;
  return from == NULL ? MemoryContextAllocHuge(CurrentMemoryContext, *room * size) : repalloc_huge(from, *room * size);
}

void steno_grow_narrow(RankedValues* values) {
  values->narrow = grow(values->narrow, &values->narrow_room, sizeof *values->narrow);
}

void steno_add_wide(RankedValues* values, int64 value) {
  if (values->wide_count == values->wide_room) {
    values->wide = grow(values->wide, &values->wide_room, sizeof *values->wide);
  }
  values->wide[values->wide_count++] = value;
}

static int compare_wide(const void* a, const void* b) {
  const int64 left = *(const int64*)a;
  const int64 right = *(const int64*)b;
  return left < right ? -1 : left > right;
}

static int compare_narrow(const void* a, const void* b) {
  const uint32 left = *(const uint32*)a;
  const uint32 right = *(const uint32*)b;
  return left < right ? -1 : left > right;
}

enum { kDigit = 11, kBuckets = 1 << kDigit, kFew = 256 };

static uint32 highest_difference(const uint32* values, Size count) {
  uint32 differences = 0;
  for (Size i = 1; i < count; ++i) differences |= values[i] ^ values[0];
  return differences;
}

// Counts values by the highest bits in which they differ, and goes on within the buckets that ranks are in.
static void find_narrow(const uint32* values, Size count, const Size* ranks, int rank_count, int64* found) {
  const uint32 differences = highest_difference(values, count);
  const int shift = differences == 0 ? 0 : Max(pg_leftmost_one_pos32(differences) + 1 - kDigit, 0);
  Size* counts;
  Size before = 0;
  int rank = 0;
  CHECK_FOR_INTERRUPTS();
  if (differences == 0) {
    for (int i = 0; i < rank_count; ++i) found[i] = values[0];
    return;
  }
  if (count <= kFew) {
    uint32 sorted[kFew];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_narrow);
    for (int i = 0; i < rank_count; ++i) found[i] = sorted[ranks[i]];
    return;
  }
  counts = palloc0(kBuckets * sizeof *counts);
  for (Size i = 0; i < count; ++i) ++counts[values[i] >> shift & (kBuckets - 1)];
  for (uint32 bucket = 0; rank < rank_count; before += counts[bucket++]) {
    const int first = rank;
    Size within[kMostRanks];
    uint32* part;
    Size kept = 0;
    while (rank < rank_count && ranks[rank] < before + counts[bucket]) {
      within[rank - first] = ranks[rank] - before;
      ++rank;
    }
    if (rank == first) continue;
    part = MemoryContextAllocHuge(CurrentMemoryContext, (counts[bucket] + 1) * sizeof *part);
    for (Size i = 0; i < count; ++i) {
      part[kept] = values[i];
      kept += (values[i] >> shift & (kBuckets - 1)) == bucket;
    }
    find_narrow(part, kept, within, rank - first, found + first);
    pfree(part);
  }
  pfree(counts);
}

void steno_find_ranks(RankedValues* values, const Size* ranks, int count, int64* found) {
  Size negative = 0;
  int first = 0;
  int end;
  qsort(values->wide, values->wide_count, sizeof *values->wide, compare_wide);
  while (negative < values->wide_count && values->wide[negative] < 0) ++negative;
  for (; first < count && ranks[first] < negative; ++first) found[first] = values->wide[ranks[first]];
  for (end = first; end < count && ranks[end] < negative + values->narrow_count;) ++end;
  for (int i = end; i < count; ++i) found[i] = values->wide[ranks[i] - values->narrow_count];
  if (end > first) {
    Size within[kMostRanks];
    Assert(count <= kMostRanks);
    for (int i = first; i < end; ++i) within[i - first] = ranks[i] - negative;
    find_narrow(values->narrow, values->narrow_count, within, end - first, found + first);
  }
}
