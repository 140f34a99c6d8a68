// Functions of SQL that read the log: rows of its statements, what is missing.
#include "log_scan.h"

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(steno_rows);
PG_FUNCTION_INFO_V1(steno_losses);

static char* text_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

static char* utf8_argument(FunctionCallInfo fcinfo, int n) {
  char* const text = text_argument(fcinfo, n);
  return text != NULL ? pg_server_to_any(text, (int)strlen(text), PG_UTF8) : NULL;
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

// steno.rows(statement text, since timestamptz, until timestamptz, condition text, path text) returns setof record: of
// all statements with such a text in their format the columns that are called as those of the result.
Datum steno_rows(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  LogScanOptions options = {0};
  TimestampTz times[2];
  const char** names;
  Oid* types;
  LogScan* scan;
  InitMaterializedSRF(fcinfo, 0);
  options.statement = PG_ARGISNULL(0) ? "" : utf8_argument(fcinfo, 0);
  times[0] = PG_ARGISNULL(1) ? 0 : PG_GETARG_TIMESTAMPTZ(1);
  times[1] = PG_ARGISNULL(2) ? 0 : PG_GETARG_TIMESTAMPTZ(2);
  options.since = PG_ARGISNULL(1) ? NULL : &times[0];
  options.until = PG_ARGISNULL(2) ? NULL : &times[1];
  options.where = utf8_argument(fcinfo, 3);
  options.path = text_argument(fcinfo, 4);
  options.column_count = result->setDesc->natts;
  options.columns = names = palloc(options.column_count * sizeof *names);
  options.types = types = palloc(options.column_count * sizeof *types);
  for (int i = 0; i < options.column_count; ++i) {
    names[i] = NameStr(TupleDescAttr(result->setDesc, i)->attname);
    types[i] = TupleDescAttr(result->setDesc, i)->atttypid;
  }
  scan = steno_begin_scan(&options);
  put_rows(scan, result);
  steno_end_scan(scan);
  return (Datum)0;
}

// steno.losses(path text) returns table (loss text, records bigint)
Datum steno_losses(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  steno_reader* reader;
  InitMaterializedSRF(fcinfo, 0);
  reader = steno_open_log(text_argument(fcinfo, 0));
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
