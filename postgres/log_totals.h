// Totals of the records of some statements of the log, by some of their columns: what GROUP BY computes, from columns
// and in some tens of nanoseconds a record. In the backend's own thread: backends must not have others.
#pragma once

#include "steno_pg.h"

#include "datatype/timestamp.h"
#include "ranked_values.h"

enum { kMostKeys = 6, kMostSums = 8 };

typedef struct TotalsKey {
  const char* name;
  bool is_text;  // else an integer
} TotalsKey;

typedef struct TotalsOptions {
  MemoryContext query;       // as steno_open_log() takes it
  const char* path;          // as steno_open_log() takes it, with `since`
  const char* statement;     // a part of the formats of those whose records are counted
  const TimestampTz* since;  // NULL: the beginning
  const TimestampTz* until;  // records before it; NULL: the end
  const char* where;         // as `steno cat --where` takes it; NULL: all
  int key_count;
  const TotalsKey* keys;  // kMostKeys at most, for as long as the totals: columns; what a statement lacks is null
  int sum_count;
  const char* const* sums;  // likewise, kMostSums: columns of integers; null where no record has one
  const char* failure;      // a column of texts; records with another than `success` are counted, null is not
  const char* success;
  const char* ranked;  // a column of integers, whose values are kept; NULL: none
  const char* latest;  // a column of texts, of which the value of the last record is kept; NULL: none
} TotalsOptions;

typedef struct TotalsGroup {
  int64 calls;
  int64 failures;
  RankedValues values;
  int64 first_ns;  // time of the first record and of the last; without TotalsOptions::latest not kept
  int64 last_ns;
  uint32 latest;
} TotalsGroup;

typedef struct Totals Totals;

// In the current memory context, whose end frees it; what it holds of the reader is closed when it returns, or fails.
// Fails where a column of the log has another type.
Totals* steno_compute_totals(const TotalsOptions* options);
uint32 steno_total_groups(const Totals* totals);
TotalsGroup* steno_total_group(const Totals* totals, uint32 group);
// A bigint or a text, as the key's type says.
Datum steno_total_key(const Totals* totals, uint32 group, int key, bool* is_null);
Datum steno_total_latest(const Totals* totals, uint32 group, bool* is_null);
// A numeric.
Datum steno_total_sum(const Totals* totals, uint32 group, int sum, bool* is_null);
