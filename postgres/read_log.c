// Asking the log in SQL: its rows as those of a function, by the C interface of the reader.
//
// The reader is C++ and has threads at times. No error of PostgreSQL's passes it, as it calls nothing of PostgreSQL's;
// its own are codes. Signals are blocked while it runs, for its threads would inherit what handles them.
#include "steno_pg.h"

#include <signal.h>
#include <steno/c_reader.h>

#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(steno_rows);
PG_FUNCTION_INFO_V1(steno_losses);

// What has to be let go of, however a call ends.
typedef struct Reading {
  steno_reader* reader;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
} Reading;

static sigset_t block_signals(void) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  return before;
}

static void let_go(Reading* r) {
  const sigset_t before = block_signals();
  if (r->batch.release != NULL) r->batch.release(&r->batch);
  if (r->schema.release != NULL) r->schema.release(&r->schema);
  if (r->stream.release != NULL) r->stream.release(&r->stream);
  if (r->reader != NULL) steno_reader_close(r->reader);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// The path that was given, else that of the setting.
static char* path_of(const char* given) {
  const char* const path = given != NULL ? given : GetConfigOption("steno.path", true, false);
  if (path == NULL || *path == '\0') {
    ereport(ERROR, (errmsg("there is no setting \"steno.path\""),
                    errhint("Add \"steno\" to shared_preload_libraries, or name a file.")));
  }
  return is_absolute_path(path) ? pstrdup(path) : psprintf("%s/%s", DataDir, path);
}

static void open_log(Reading* r, const char* path) {
  steno_error error;
  const sigset_t before = block_signals();
  r->reader = steno_reader_open(&path, 1, &error);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (r->reader == NULL) ereport(ERROR, (errmsg("could not read the log: %s", error.text)));
}

// False: nothing like that has been logged.
static bool open_stream(Reading* r, const steno_stream_options* options) {
  steno_error error;
  int failed = 0;
  const sigset_t before = block_signals();
  const steno_code code = steno_reader_stream(r->reader, options, &r->stream, &error);
  if (code == STENO_OK) failed = r->stream.get_schema(&r->stream, &r->schema);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  // A statement is chosen by its text, and it is wrong to choose one that no file has: here it only has not come yet.
  if (code == STENO_INVALID_ARGUMENT && strncmp(error.text, "no statement has the text", 25) == 0) return false;
  if (code != STENO_OK) ereport(ERROR, (errmsg("could not read the log: %s", error.text)));
  if (failed != 0) ereport(ERROR, (errmsg("could not read the log: %s", r->stream.get_last_error(&r->stream))));
  return true;
}

// The next batch; false: there is none.
static bool next_batch(Reading* r) {
  int failed;
  const sigset_t before = block_signals();
  if (r->batch.release != NULL) r->batch.release(&r->batch);
  failed = r->stream.get_next(&r->stream, &r->batch);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed != 0) ereport(ERROR, (errmsg("could not read the log: %s", r->stream.get_last_error(&r->stream))));
  return r->batch.release != NULL;
}

static Datum text_at(const struct ArrowArray* array, int64 row) {
  const int32* const offsets = array->buffers[1];
  const char* const bytes = array->buffers[2];
  return PointerGetDatum(cstring_to_text_with_len(bytes + offsets[row], offsets[row + 1] - offsets[row]));
}

static int64 integer_at(char format, const void* values, int64 row) {
  switch (format) {
    case 'c':
      return ((const int8*)values)[row];
    case 'C':
      return ((const uint8*)values)[row];
    case 's':
      return ((const int16*)values)[row];
    case 'S':
      return ((const uint16*)values)[row];
    case 'i':
      return ((const int32*)values)[row];
    case 'I':
      return ((const uint32*)values)[row];
    default:
      return ((const int64*)values)[row];
  }
}

// One value as a datum of `type`: int8, text or timestamptz.
static Datum value_at(const struct ArrowSchema* schema, const struct ArrowArray* array, int64 row, Oid type,
                      bool* is_null) {
  const uint8* const validity = array->buffers[0];
  row += array->offset;
  *is_null = validity != NULL && (validity[row / 8] >> row % 8 & 1) == 0;
  if (*is_null) return (Datum)0;
  if (schema->dictionary != NULL) {
    const int64 entry = integer_at(schema->format[0], array->buffers[1], row);
    return value_at(schema->dictionary, array->dictionary, entry, type, is_null);
  }
  if (type == TEXTOID && (schema->format[0] == 'u' || schema->format[0] == 'z')) return text_at(array, row);
  if (type == TIMESTAMPTZOID && schema->format[0] == 't') {
    const int64 ns = ((const int64*)array->buffers[1])[row];
    return TimestampTzGetDatum(ns / 1000 - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY);
  }
  if (type == INT8OID && strchr("cCsSiIlL", schema->format[0]) != NULL) {
    return Int64GetDatum(integer_at(schema->format[0], array->buffers[1], row));
  }
  ereport(ERROR, (errmsg("column \"%s\" of the log has another type", schema->name)));
}

static void put_batch(const Reading* r, ReturnSetInfo* result, const int* columns) {
  const TupleDesc row = result->setDesc;
  Datum* const values = palloc(row->natts * sizeof *values);
  bool* const nulls = palloc(row->natts * sizeof *nulls);
  const MemoryContext of_row = AllocSetContextCreate(CurrentMemoryContext, "steno row", ALLOCSET_DEFAULT_SIZES);
  for (int64 i = 0; i < r->batch.length; ++i) {
    const MemoryContext before = MemoryContextSwitchTo(of_row);
    for (int column = 0; column < row->natts; ++column) {
      nulls[column] = columns[column] < 0;
      if (nulls[column]) continue;
      values[column] = value_at(r->schema.children[columns[column]], r->batch.children[columns[column]],
                                i + r->batch.offset, TupleDescAttr(row, column)->atttypid, &nulls[column]);
    }
    MemoryContextSwitchTo(before);
    tuplestore_putvalues(result->setResult, row, values, nulls);
    MemoryContextReset(of_row);
  }
  MemoryContextDelete(of_row);
  pfree(values);
  pfree(nulls);
}

static int64 nanoseconds(TimestampTz time) {
  return (time + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY) * 1000;
}

static char* text_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

// steno.rows(statement text, since timestamptz, until timestamptz, condition text, path text) returns setof record: the
// columns of the log that are called as those of the result; a column that the log lacks is null.
Datum steno_rows(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  Reading* const r = palloc0(sizeof *r);
  steno_stream_options options;
  const char** names;
  int* columns;
  InitMaterializedSRF(fcinfo, 0);
  steno_stream_options_init(&options, sizeof options);
  options.statement = text_argument(fcinfo, 0);
  if (!PG_ARGISNULL(1)) options.since_ns = nanoseconds(PG_GETARG_TIMESTAMPTZ(1));
  if (!PG_ARGISNULL(2)) options.until_ns = nanoseconds(PG_GETARG_TIMESTAMPTZ(2));
  options.where = text_argument(fcinfo, 3);
  options.dictionary_strings = true;
  names = palloc(result->setDesc->natts * sizeof *names);
  columns = palloc(result->setDesc->natts * sizeof *columns);
  for (int i = 0; i < result->setDesc->natts; ++i) names[i] = NameStr(TupleDescAttr(result->setDesc, i)->attname);
  options.columns = names;
  options.column_count = (size_t)result->setDesc->natts;
  PG_TRY();
  {
    open_log(r, path_of(text_argument(fcinfo, 4)));
    if (open_stream(r, &options)) {
      for (int i = 0; i < result->setDesc->natts; ++i) {
        columns[i] = -1;
        for (int64 child = 0; child < r->schema.n_children; ++child) {
          if (strcmp(r->schema.children[child]->name, names[i]) == 0) columns[i] = (int)child;
        }
      }
      while (next_batch(r)) {
        put_batch(r, result, columns);
        CHECK_FOR_INTERRUPTS();
      }
    }
  }
  PG_FINALLY();
  { let_go(r); }
  PG_END_TRY();
  return (Datum)0;
}

// steno.losses(path text) returns table (loss text, records bigint)
Datum steno_losses(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  Reading* const r = palloc0(sizeof *r);
  InitMaterializedSRF(fcinfo, 0);
  PG_TRY();
  {
    steno_loss loss;
    open_log(r, path_of(text_argument(fcinfo, 0)));
    for (size_t i = 0; steno_reader_loss(r->reader, i, &loss, sizeof loss); ++i) {
      Datum values[2] = {PointerGetDatum(cstring_to_text(loss.text)), Int64GetDatum((int64)loss.records)};
      bool nulls[2] = {false, loss.records == 0};
      tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
    }
  }
  PG_FINALLY();
  { let_go(r); }
  PG_END_TRY();
  return (Datum)0;
}
