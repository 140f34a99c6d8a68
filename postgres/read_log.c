// Functions of SQL that read the log: rows of its statements, what is missing. They, and all that they use, are the
// library steno_sql.
#include "log_batches.h"
#include "log_files.h"
#include "log_scan.h"
#include "log_time.h"
#include "log_totals.h"
#include "pushdown.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

STENO_MODULE_MAGIC("steno_sql");

PG_FUNCTION_INFO_V1(steno_rows);
PG_FUNCTION_INFO_V1(steno_table_rows);
PG_FUNCTION_INFO_V1(steno_files_path);
PG_FUNCTION_INFO_V1(steno_losses);
PG_FUNCTION_INFO_V1(steno_statement_totals);
PG_FUNCTION_INFO_V1(steno_session_totals);

static char* text_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

static char* utf8_argument(FunctionCallInfo fcinfo, int n) {
  char* const text = text_argument(fcinfo, n);
  return text != NULL ? pg_server_to_any(text, (int)strlen(text), PG_UTF8) : NULL;
}

static MemoryContext query_memory(FunctionCallInfo fcinfo) {
  return ((ReturnSetInfo*)fcinfo->resultinfo)->econtext->ecxt_per_query_memory;
}

// Which records are counted: from the function's first three arguments, since, until and path.
typedef struct TimeRange {
  TimestampTz since;
  TimestampTz until;
} TimeRange;

static TotalsOptions totals_options(FunctionCallInfo fcinfo, TimeRange* range) {
  TotalsOptions options = {0};
  options.statement = "{command} {query_id}: {rows} rows in";
  options.failure = "sqlstate";
  options.success = "00000";
  if (!PG_ARGISNULL(0)) {
    range->since = PG_GETARG_TIMESTAMPTZ(0);
    options.since = &range->since;
  }
  if (!PG_ARGISNULL(1)) {
    range->until = PG_GETARG_TIMESTAMPTZ(1);
    options.until = &range->until;
  }
  options.query = query_memory(fcinfo);
  options.path = text_argument(fcinfo, 2);
  return options;
}

static void put_rows(LogScan* scan, ReturnSetInfo* result) {
  const int columns = result->setDesc->natts;
  Datum* const values = palloc(columns * sizeof *values);
  bool* const nulls = palloc(columns * sizeof *nulls);
  const MemoryContext of_row = AllocSetContextCreate(CurrentMemoryContext, "steno row", ALLOCSET_DEFAULT_SIZES);
  for (;;) {
    const MemoryContext before = MemoryContextSwitchTo(of_row);
    const bool found = steno_next_row(scan, values, nulls);
    MemoryContextSwitchTo(before);
    if (!found) break;
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    MemoryContextReset(of_row);
  }
}

// The rows of a scan with the options whose columns are known, and whose times, condition and path are the function's
// arguments from the `first` on.
static void put_scan(FunctionCallInfo fcinfo, int first, LogScanOptions* options) {
  TimestampTz since;
  TimestampTz until;
  LogScan* scan;
  if (!PG_ARGISNULL(first)) {
    since = PG_GETARG_TIMESTAMPTZ(first);
    options->since = options->files_since = &since;
  }
  if (!PG_ARGISNULL(first + 1)) {
    until = PG_GETARG_TIMESTAMPTZ(first + 1);
    options->until = &until;
  }
  options->where = utf8_argument(fcinfo, first + 2);
  options->path = text_argument(fcinfo, first + 3);
  options->query = query_memory(fcinfo);
  scan = steno_make_scan(options);
  steno_start_scan(scan);
  put_rows(scan, (ReturnSetInfo*)fcinfo->resultinfo);
  steno_end_scan(scan);
}

// steno.rows(statement text, since timestamptz, until timestamptz, condition text, path text) returns setof record: of
// all statements with such a text in their format the columns that are called as those of the result.
PGDLLEXPORT Datum steno_rows(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  LogScanOptions options = {0};
  const char** names;
  Oid* types;
  InitMaterializedSRF(fcinfo, 0);
  options.statement = PG_ARGISNULL(0) ? "" : utf8_argument(fcinfo, 0);
  options.column_count = result->setDesc->natts;
  options.columns = names = palloc(options.column_count * sizeof *names);
  options.types = types = palloc(options.column_count * sizeof *types);
  for (int i = 0; i < options.column_count; ++i) {
    names[i] = NameStr(TupleDescAttr(result->setDesc, i)->attname);
    types[i] = TupleDescAttr(result->setDesc, i)->atttypid;
  }
  put_scan(fcinfo, 1, &options);
  return (Datum)0;
}

// steno.log(since timestamptz, until timestamptz, condition text, path text) returns setof a foreign table of this
// extension's: what that would have.
PGDLLEXPORT Datum steno_table_rows(PG_FUNCTION_ARGS) {
  LogScanOptions options = {0};
  const LogTable* table;
  Oid type;
  if (get_call_result_type(fcinfo, &type, NULL) != TYPEFUNC_COMPOSITE || !OidIsValid(get_typ_typrelid(type))) {
    ereport(ERROR, (errmsg("the function does not return a foreign table")));
  }
  InitMaterializedSRF(fcinfo, 0);
  table = steno_describe_table(get_typ_typrelid(type));
  options.statement = table->statement;
  options.column_count = table->column_count;
  options.columns = table->fields;
  options.types = table->types;
  for (int i = 0; i < table->column_count; ++i) {
    if (table->fields[i] == NULL) table->fields[i] = "a column that has been dropped";  // which is null
  }
  put_scan(fcinfo, 0, &options);
  return (Datum)0;
}

// steno.path_since(since timestamptz) returns text: a path that names the files which a query since then reads.
PGDLLEXPORT Datum steno_files_path(PG_FUNCTION_ARGS) {
  const TimestampTz since = PG_ARGISNULL(0) ? 0 : PG_GETARG_TIMESTAMPTZ(0);
  const LogFiles files = steno_find_log_files(NULL, PG_ARGISNULL(0) ? NULL : &since);
  PG_RETURN_TEXT_P(cstring_to_text(steno_path_of(&files)));
}

// steno.losses(path text) returns table (loss text, records bigint)
PGDLLEXPORT Datum steno_losses(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  steno_reader* reader;
  InitMaterializedSRF(fcinfo, 0);
  reader = steno_open_log(text_argument(fcinfo, 0), NULL, NULL);
  PG_TRY();
  {
    steno_loss loss;
    for (size_t i = 0; steno_reader_loss(reader, i, &loss, sizeof loss); ++i) {
      Datum values[2] = {PointerGetDatum(cstring_to_text(loss.text)), Int64GetDatum((int64)loss.records)};
      bool nulls[2] = {false, loss.records == 0};
      tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
  }
  PG_FINALLY();
  { steno_close_log(reader); }
  PG_END_TRY();
  return (Datum)0;
}

// The values at these shares, as percentile_disc() has them; 0 is the least. Shares ascend.
static void put_ranks(RankedValues* kept, const double* shares, int count, Datum* values, bool* nulls) {
  const Size all = steno_value_count(kept);
  Size ranks[kMostRanks];
  int64 found[kMostRanks];
  for (int i = 0; i < count; ++i) {
    ranks[i] = (Size)ceil(shares[i] * (double)all);
    ranks[i] = Min(Max(ranks[i], 1), all) - 1;
  }
  if (all > 0) steno_find_ranks(kept, ranks, count, found);
  for (int i = 0; i < count; ++i) {
    nulls[i] = all == 0;
    values[i] = Int64GetDatum(nulls[i] ? 0 : found[i]);
  }
}

// steno.statement_totals(since timestamptz, until timestamptz, path text, nested boolean) returns setof record: by
// query, command, user and database the calls, errors, sums, and of their durations the least, percentiles 50, 99
// and 99.9, and the greatest.
PGDLLEXPORT Datum steno_statement_totals(PG_FUNCTION_ARGS) {
  static const TotalsKey kKeys[] = {{"query_id", false}, {"command", true}, {"user", true}, {"database", true}};
  static const char* const kSums[] = {"duration",    "planning",     "rows",     "shared_hit",
                                      "shared_read", "temp_written", "wal_bytes"};
  static const double kShares[] = {0, 0.5, 0.99, 0.999, 1};
  enum { kKeyCount = lengthof(kKeys), kSumCount = lengthof(kSums), kShareCount = lengthof(kShares) };
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  TimeRange range;
  TotalsOptions options = totals_options(fcinfo, &range);
  Totals* totals;
  InitMaterializedSRF(fcinfo, 0);
  if (PG_ARGISNULL(3) || !PG_GETARG_BOOL(3)) options.where = "nesting == 0";
  options.key_count = kKeyCount;
  options.keys = kKeys;
  options.sum_count = kSumCount;
  options.sums = kSums;
  options.ranked = "duration";
  totals = steno_compute_totals(&options);
  for (uint32 i = 0; i < steno_total_groups(totals); ++i) {
    TotalsGroup* const group = steno_total_group(totals, i);
    Datum values[kKeyCount + 2 + kSumCount + kShareCount];
    bool nulls[lengthof(values)] = {false};
    int at = 0;
    for (int key = 0; key < kKeyCount; ++key, ++at) values[at] = steno_total_key(totals, i, key, &nulls[at]);
    values[at++] = Int64GetDatum(group->calls);
    values[at++] = Int64GetDatum(group->failures);
    for (int sum = 0; sum < kSumCount; ++sum, ++at) values[at] = steno_total_sum(totals, i, sum, &nulls[at]);
    put_ranks(&group->values, kShares, kShareCount, &values[at], &nulls[at]);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return (Datum)0;
}

// steno.session_totals(since timestamptz, until timestamptz, path text) returns setof record: by backend and who it was
// the last application, times, calls, errors and sums of what a client asked.
PGDLLEXPORT Datum steno_session_totals(PG_FUNCTION_ARGS) {
  static const TotalsKey kKeys[] = {{"pid", false},   {"user", true},         {"database", true},
                                    {"client", true}, {"backend_type", true}, {"session", false}};
  static const char* const kSums[] = {"duration", "rows", "wal_bytes"};
  enum { kShown = lengthof(kKeys) - 1, kSumCount = lengthof(kSums) };
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  TimeRange range;
  TotalsOptions options = totals_options(fcinfo, &range);
  Totals* totals;
  InitMaterializedSRF(fcinfo, 0);
  options.where = "nesting == 0";
  options.key_count = lengthof(kKeys);
  options.keys = kKeys;
  options.sum_count = kSumCount;
  options.sums = kSums;
  options.latest = "application";
  totals = steno_compute_totals(&options);
  for (uint32 i = 0; i < steno_total_groups(totals); ++i) {
    const TotalsGroup* const group = steno_total_group(totals, i);
    Datum values[kShown + 5 + kSumCount];
    bool nulls[lengthof(values)] = {false};
    int at = 0;
    for (int key = 0; key < kShown; ++key, ++at) values[at] = steno_total_key(totals, i, key, &nulls[at]);
    values[at] = steno_total_latest(totals, i, &nulls[at]);
    values[++at] = TimestampTzGetDatum(steno_timestamp(group->first_ns));
    values[++at] = TimestampTzGetDatum(steno_timestamp(group->last_ns));
    values[++at] = Int64GetDatum(group->calls);
    values[++at] = Int64GetDatum(group->failures);
    ++at;
    for (int sum = 0; sum < kSumCount; ++sum, ++at) values[at] = steno_total_sum(totals, i, sum, &nulls[at]);
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return (Datum)0;
}
