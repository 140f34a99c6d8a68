// Asking the log in SQL: a scan of the records of some statements of steno's, by the C interface of the reader.
//
// The reader is C++ and has threads at times. No error of PostgreSQL's passes it, as it calls nothing of PostgreSQL's;
// its own are codes. Signals are blocked while it runs, for its threads would inherit what handles them.
#include "log_scan.h"

#include <signal.h>

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "steno_pg.h"

// In its own memory, whose end lets go of the rest.
struct LogScan {
  LogScanOptions options;
  MemoryContextCallback when_freed;
  steno_reader* reader;
  steno_stream_options stream_options;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
  size_t next_site;
  int64 row;     // of the batch
  int* columns;  // of the stream, for each of the scan's; kNone, kMessage: not there, the message's text
  const char** names;
  size_t name_count;
  steno_site_facts site;
};
enum { kNone = -1, kMessage = -2 };

static sigset_t block_signals(void) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  return before;
}

char* steno_find_log(const char* given) {
  // Not by name: where the server has not loaded this first, anybody may set a "steno.path".
  const char* const path = given != NULL ? given : steno_path;
  if (path == NULL || *path == '\0') {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no setting \"steno.path\""),
                    errhint("Add \"steno\" to shared_preload_libraries, or name a file.")));
  }
  return is_absolute_path(path) ? pstrdup(path) : psprintf("%s/%s", DataDir, path);
}

steno_reader* steno_open_log(const char* path) {
  const char* const full = steno_find_log(path);
  steno_error error;
  const sigset_t before = block_signals();
  steno_reader* const reader = steno_reader_open(&full, 1, &error);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (reader == NULL) ereport(ERROR, (errmsg("could not read the log: %s", error.text)));
  return reader;
}

void steno_close_log(steno_reader* reader) {
  const sigset_t before = block_signals();
  steno_reader_close(reader);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void open_stream(LogScan* scan) {
  steno_error error;
  int failed = 0;
  const sigset_t before = block_signals();
  const steno_code code = steno_reader_stream(scan->reader, &scan->stream_options, &scan->stream, &error);
  if (code == STENO_OK) failed = scan->stream.get_schema(&scan->stream, &scan->schema);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != STENO_OK) ereport(ERROR, (errmsg("could not read the log: %s", error.text)));
  if (failed != 0) ereport(ERROR, (errmsg("could not read the log: %s", scan->stream.get_last_error(&scan->stream))));
}

static void close_stream(LogScan* scan) {
  const sigset_t before = block_signals();
  if (scan->batch.release != NULL) scan->batch.release(&scan->batch);
  if (scan->schema.release != NULL) scan->schema.release(&scan->schema);
  if (scan->stream.release != NULL) scan->stream.release(&scan->stream);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void let_go(void* of_scan) {
  LogScan* const scan = of_scan;
  close_stream(scan);
  if (scan->reader != NULL) steno_close_log(scan->reader);
  scan->reader = NULL;
}

// The next batch of the stream; false: there is none.
static bool next_batch(LogScan* scan) {
  int failed;
  const sigset_t before = block_signals();
  if (scan->batch.release != NULL) scan->batch.release(&scan->batch);
  failed = scan->stream.get_next(&scan->stream, &scan->batch);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed != 0) ereport(ERROR, (errmsg("could not read the log: %s", scan->stream.get_last_error(&scan->stream))));
  scan->row = 0;
  return scan->batch.release != NULL;
}

static int find_column(const LogScan* scan, const char* name) {
  for (int64 child = 0; child < scan->schema.n_children; ++child) {
    if (strcmp(scan->schema.children[child]->name, name) == 0) return (int)child;
  }
  return kNone;
}

char steno_field_type(const LogScan* scan, const char* name) {
  const int column = find_column(scan, name);
  const struct ArrowSchema* const schema = column != kNone ? scan->schema.children[column] : NULL;
  if (schema == NULL) return '\0';
  if (schema->dictionary != NULL || strchr("uUzZ", schema->format[0]) != NULL) return 's';
  return strchr("cCsSiIl", schema->format[0]) != NULL ? 'i' : schema->format[0];
}

// False: it is not wanted.
static bool open_stream_of_site(LogScan* scan) {
  bool skip;
  close_stream(scan);
  if (scan->options.condition != NULL) scan->stream_options.where = NULL;
  open_stream(scan);
  if (scan->options.condition == NULL) return true;
  scan->stream_options.where = scan->options.condition(scan->options.condition_context, scan, &skip);
  if (scan->stream_options.where == NULL || skip) return !skip;
  close_stream(scan);
  open_stream(scan);
  return true;
}

// The next statement of those that are asked for; false: there is none.
static bool next_site(LogScan* scan) {
  for (;;) {
    const sigset_t before = block_signals();
    const bool found = steno_reader_site(scan->reader, scan->next_site++, &scan->site, sizeof scan->site);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!found) return false;
    if (strstr(scan->site.format, scan->options.statement) == NULL) continue;
    scan->stream_options.stable_id = scan->site.stable_id;
    if (!open_stream_of_site(scan)) continue;
    for (int i = 0; i < scan->options.column_count; ++i) {
      const char* const name = scan->options.columns[i];
      scan->columns[i] = find_column(scan, name);
      if (scan->columns[i] == kNone && strcmp(name, "primary_message") == 0) scan->columns[i] = kMessage;
    }
    return true;
  }
}

static int64 nanoseconds(TimestampTz time) {
  return (time + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY) * 1000;
}

// What the text of a message is made of (steno_message_datum()) is read with it.
static void add_name(LogScan* scan, const char* name) {
  for (size_t i = 0; i < scan->name_count; ++i) {
    if (strcmp(scan->names[i], name) == 0) return;
  }
  scan->names[scan->name_count++] = name;
}

LogScan* steno_begin_scan(const LogScanOptions* options) {
  LogScan* const scan = palloc0(sizeof *scan);
  steno_stream_options* const stream = &scan->stream_options;
  scan->options = *options;
  scan->columns = palloc(Max(options->column_count, 1) * sizeof *scan->columns);
  scan->names = palloc((options->column_count + kMessageValues + 1) * sizeof *scan->names);
  for (int i = 0; i < options->column_count; ++i) {
    add_name(scan, options->columns[i]);
    if (strcmp(options->columns[i], "primary_message") != 0) continue;
    for (int value = 1; value <= kMessageValues; ++value) add_name(scan, psprintf("m%d", value));
  }
  // Records with the fields of context: without, a statement's columns are others.
  add_name(scan, "backend_type");
  steno_stream_options_init(stream, sizeof *stream);
  if (options->since != NULL) stream->since_ns = nanoseconds(*options->since);
  if (options->until != NULL) stream->until_ns = nanoseconds(*options->until);
  stream->where = options->where;
  stream->dictionary_strings = true;
  stream->skip_missing = true;
  stream->columns = scan->names;
  stream->column_count = scan->name_count;
  scan->when_freed.func = let_go;
  scan->when_freed.arg = scan;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, &scan->when_freed);
  scan->reader = steno_open_log(options->path);
  return scan;
}

bool steno_next_row(LogScan* scan, Datum* values, bool* nulls) {
  while (scan->batch.release == NULL || scan->row == scan->batch.length) {
    CHECK_FOR_INTERRUPTS();
    if (scan->schema.release != NULL && next_batch(scan)) continue;
    if (!next_site(scan)) return false;
  }
  for (int i = 0; i < scan->options.column_count; ++i) {
    const int column = scan->columns[i];
    nulls[i] = column == kNone;
    if (nulls[i]) continue;
    if (column == kMessage) {
      values[i] = steno_message_datum(&scan->schema, &scan->batch, scan->row, scan->site.format);
    } else {
      values[i] = steno_datum(scan->schema.children[column], scan->batch.children[column],
                              scan->row + scan->batch.offset, scan->options.types[i], &nulls[i]);
    }
  }
  ++scan->row;
  return true;
}

void steno_end_scan(LogScan* scan) {
  let_go(scan);
}
