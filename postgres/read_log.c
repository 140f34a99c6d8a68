// Asking the log in SQL: its rows as those of a function, by the C interface of the reader.
//
// The reader is C++ and has threads at times. No error of PostgreSQL's passes it, as it calls nothing of PostgreSQL's;
// its own are codes. Signals are blocked while it runs, for its threads would inherit what handles them.
#include "steno_pg.h"

#include <signal.h>
#include <steno/c_reader.h>

#include "catalog/namespace.h"
#include "catalog/pg_type_d.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
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

static void open_stream(Reading* r, const steno_stream_options* options) {
  steno_error error;
  int failed = 0;
  const sigset_t before = block_signals();
  const steno_code code = steno_reader_stream(r->reader, options, &r->stream, &error);
  if (code == STENO_OK) failed = r->stream.get_schema(&r->stream, &r->schema);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != STENO_OK) ereport(ERROR, (errmsg("could not read the log: %s", error.text)));
  if (failed != 0) ereport(ERROR, (errmsg("could not read the log: %s", r->stream.get_last_error(&r->stream))));
}

static void close_stream(Reading* r) {
  const sigset_t before = block_signals();
  if (r->batch.release != NULL) r->batch.release(&r->batch);
  if (r->schema.release != NULL) r->schema.release(&r->schema);
  if (r->stream.release != NULL) r->stream.release(&r->stream);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void let_go(Reading* r) {
  close_stream(r);
  if (r->reader != NULL) {
    const sigset_t before = block_signals();
    steno_reader_close(r->reader);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
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

// From UTF-8 to the encoding of this database; ? for what that does not have.
static text* database_text(const char* utf8, int size) {
  const int encoding = GetDatabaseEncoding();
  const Oid by =
      encoding == PG_UTF8 || encoding == PG_SQL_ASCII ? InvalidOid : FindDefaultConversionProc(PG_UTF8, encoding);
  char* copy;
  text* result;
  if (!OidIsValid(by)) return cstring_to_text_with_len(utf8, size);
  copy = palloc0((Size)size * MAX_CONVERSION_GROWTH + 1);
  for (int done = 0, kept = 0;;) {
    done += pg_do_encoding_conversion_buf(by, PG_UTF8, encoding, (unsigned char*)utf8 + done, size - done,
                                          (unsigned char*)copy + kept, (size - done) * MAX_CONVERSION_GROWTH + 1, true);
    kept += (int)strlen(copy + kept);
    if (done >= size) {
      result = cstring_to_text_with_len(copy, kept);
      break;
    }
    copy[kept++] = '?';
    done += Min(pg_utf_mblen((const unsigned char*)utf8 + done), size - done);
  }
  pfree(copy);
  return result;
}

static Datum text_at(const struct ArrowArray* array, int64 row) {
  const int32* const offsets = array->buffers[1];
  const char* const bytes = array->buffers[2];
  return PointerGetDatum(database_text(bytes + offsets[row], offsets[row + 1] - offsets[row]));
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

static double real_at(char format, const void* values, int64 row) {
  return format == 'f' ? ((const float4*)values)[row] : ((const float8*)values)[row];
}

// Of microseconds since 1970.
static TimestampTz time_of(int64 us) {
  return us - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
}

static char* real_text(char format, const void* values, int64 row) {
  char text[Max(FLOAT_SHORTEST_DECIMAL_LEN, DOUBLE_SHORTEST_DECIMAL_LEN)];
  if (format == 'f') {
    float_to_shortest_decimal_buf(((const float4*)values)[row], text);
  } else {
    double_to_shortest_decimal_buf(((const float8*)values)[row], text);
  }
  return pstrdup(text);
}

// A value that is no text, as one.
static const char* text_of(const char* format, const void* values, int64 row) {
  switch (format[0]) {
    case 'b':
      return (((const uint8*)values)[row / 8] >> row % 8 & 1) != 0 ? "true" : "false";
    case 'f':
    case 'g':
      return real_text(format[0], values, row);
    case 't':
      return timestamptz_to_str(time_of(((const int64*)values)[row] / (format[2] == 'n' ? 1000 : 1)));
    case 'L':
      return psprintf(UINT64_FORMAT, ((const uint64*)values)[row]);
    default:
      return psprintf(INT64_FORMAT, integer_at(format[0], values, row));
  }
}

// One value as a datum of `type`: int8, float8, text or timestamptz.
static Datum value_at(const struct ArrowSchema* schema, const struct ArrowArray* array, int64 row, Oid type,
                      bool* is_null) {
  const uint8* const validity = array->buffers[0];
  const char* const format = schema->format;
  const bool is_integer = strchr("cCsSiIlL", format[0]) != NULL;
  const bool is_real = format[0] == 'f' || format[0] == 'g';
  const bool is_time = strncmp(format, "tsn:", 4) == 0 || strncmp(format, "tsu:", 4) == 0;
  row += array->offset;
  *is_null = validity != NULL && (validity[row / 8] >> row % 8 & 1) == 0;
  if (*is_null) return (Datum)0;
  if (schema->dictionary != NULL) {
    const int64 entry = integer_at(format[0], array->buffers[1], row);
    return value_at(schema->dictionary, array->dictionary, entry, type, is_null);
  }
  if (type == TEXTOID && (format[0] == 'u' || format[0] == 'z')) return text_at(array, row);
  if (type == TEXTOID && (is_integer || is_real || is_time || format[0] == 'b')) {
    return CStringGetTextDatum(text_of(format, array->buffers[1], row));
  }
  if (type == TIMESTAMPTZOID && is_time) {
    return TimestampTzGetDatum(time_of(((const int64*)array->buffers[1])[row] / (format[2] == 'n' ? 1000 : 1)));
  }
  if (type == INT8OID && is_integer) return Int64GetDatum(integer_at(format[0], array->buffers[1], row));
  if (type == FLOAT8OID && is_real) return Float8GetDatum(real_at(format[0], array->buffers[1], row));
  if (type == FLOAT8OID && is_integer) {
    return Float8GetDatum((float8)integer_at(format[0], array->buffers[1], row));
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

static char* utf8_argument(FunctionCallInfo fcinfo, int n) {
  char* const text = text_argument(fcinfo, n);
  return text != NULL ? pg_server_to_any(text, (int)strlen(text), PG_UTF8) : NULL;
}

// All rows of one statement of steno's. A column that it lacks is null.
static void put_statement(Reading* r, const steno_stream_options* options, ReturnSetInfo* result) {
  const int wanted = result->setDesc->natts;
  int* const columns = palloc(wanted * sizeof *columns);
  open_stream(r, options);
  for (int i = 0; i < wanted; ++i) {
    columns[i] = -1;
    for (int64 child = 0; child < r->schema.n_children; ++child) {
      if (strcmp(r->schema.children[child]->name, options->columns[i]) == 0) columns[i] = (int)child;
    }
  }
  while (next_batch(r)) {
    put_batch(r, result, columns);
    CHECK_FOR_INTERRUPTS();
  }
  close_stream(r);
  pfree(columns);
}

static bool next_statement(Reading* r, size_t n, steno_site_facts* facts) {
  const sigset_t before = block_signals();
  const bool found = steno_reader_site(r->reader, n, facts, sizeof *facts);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return found;
}

// steno.rows(statement text, since timestamptz, until timestamptz, condition text, path text) returns setof record: of
// all statements with such a text in their format the columns that are called as those of the result.
Datum steno_rows(PG_FUNCTION_ARGS) {
  ReturnSetInfo* const result = (ReturnSetInfo*)fcinfo->resultinfo;
  Reading* const r = palloc0(sizeof *r);
  steno_stream_options options;
  steno_site_facts facts;
  const char* const text = PG_ARGISNULL(0) ? "" : utf8_argument(fcinfo, 0);
  const char** names;
  InitMaterializedSRF(fcinfo, 0);
  steno_stream_options_init(&options, sizeof options);
  if (!PG_ARGISNULL(1)) options.since_ns = nanoseconds(PG_GETARG_TIMESTAMPTZ(1));
  if (!PG_ARGISNULL(2)) options.until_ns = nanoseconds(PG_GETARG_TIMESTAMPTZ(2));
  options.where = utf8_argument(fcinfo, 3);
  options.dictionary_strings = true;
  options.skip_missing = true;
  names = palloc(result->setDesc->natts * sizeof *names);
  for (int i = 0; i < result->setDesc->natts; ++i) names[i] = NameStr(TupleDescAttr(result->setDesc, i)->attname);
  options.columns = names;
  options.column_count = (size_t)result->setDesc->natts;
  PG_TRY();
  {
    open_log(r, path_of(text_argument(fcinfo, 4)));
    for (size_t i = 0; next_statement(r, i, &facts); ++i) {
      if (strstr(facts.format, text) == NULL) continue;
      options.stable_id = facts.stable_id;
      put_statement(r, &options, result);
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
