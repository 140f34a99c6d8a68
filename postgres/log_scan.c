// Asking the log in SQL: a scan of the records of some statements of steno's.
#include "log_scan.h"

#include "log_batches.h"
#include "log_time.h"
#include "log_values.h"
#include "message_format.h"

#include "utils/memutils.h"

struct LogScan {
  LogScanOptions options;
  MemoryContext memory;
  LogBatches* log;
  const char** names;  // of the columns that are read
  size_t name_count;
  int* site_of_choice;
  const struct ArrowSchema* asked;  // of the statement that a condition is asked for
  int** columns;                    // by number of the schema, for each of the scan's; NULL: not known yet
  size_t schema_count;
  steno_batch batch;
  int64 row;    // of the batch
  int64 count;  // of its rows
  const int* columns_of_batch;
};
enum { kMessage = -2 };  // among columns: the message's text

// Adds a column to those that are read, once. The text of a message (steno_message_datum()) needs the columns of its
// values, too.
static void add_name(LogScan* scan, const char* name) {
  for (size_t i = 0; i < scan->name_count; ++i) {
    if (strcmp(scan->names[i], name) == 0) return;
  }
  scan->names[scan->name_count++] = name;
}

LogScan* steno_make_scan(const LogScanOptions* options) {
  LogScan* const scan = palloc0(sizeof *scan);
  scan->options = *options;
  scan->memory = CurrentMemoryContext;
  scan->names = palloc((options->column_count + kMessageValues) * sizeof *scan->names);
  for (int i = 0; i < options->column_count; ++i) {
    add_name(scan, options->columns[i]);
    if (strcmp(options->columns[i], "primary_message") != 0) continue;
    for (int value = 1; value <= kMessageValues; ++value) add_name(scan, psprintf("m%d", value));
  }
  scan->log = steno_open_batches(options->path, options->files_since, options->statement, options->query);
  scan->site_of_choice = palloc(Max(scan->log->site_count, 1) * sizeof *scan->site_of_choice);
  return scan;
}

char steno_field_type(const LogScan* scan, const char* name) {
  const int column = steno_find_column(scan->asked, name);
  const struct ArrowSchema* const schema = column != kNoColumn ? scan->asked->children[column] : NULL;
  if (schema == NULL) return '\0';
  if (schema->dictionary != NULL || strchr("uUzZ", schema->format[0]) != NULL) return 's';
  return strchr("cCsSiIl", schema->format[0]) != NULL ? 'i' : schema->format[0];
}

// Those statements that the condition leaves, each with its own; which condition, follows from its columns.
static int choose(LogScan* scan, const steno_stream_options* stream, steno_batch_choice* choices) {
  int kept = 0;
  for (int i = 0; i < scan->log->site_count; ++i) choices[i].stable_id = scan->log->sites[i].stable_id;
  if (scan->options.condition != NULL) steno_start_batches(scan->log, stream, choices, scan->log->site_count);
  for (int i = 0; i < scan->log->site_count; ++i) {
    bool skip = false;
    steno_batch_choice choice = choices[i];
    if (scan->options.condition != NULL) {
      scan->asked = steno_choice_schema(scan->log, i);
      choice.where = scan->options.condition(scan->options.condition_context, scan, &skip);
    }
    if (skip) continue;
    choices[kept] = choice;
    scan->site_of_choice[kept++] = i;
  }
  return kept;
}

void steno_start_scan(LogScan* scan) {
  const LogScanOptions* const options = &scan->options;
  steno_batch_choice* const choices = palloc0(Max(scan->log->site_count, 1) * sizeof *choices);
  steno_stream_options stream;
  int count;
  STENO_STREAM_OPTIONS(&stream);
  if (options->since != NULL) stream.since_ns = steno_nanoseconds(*options->since);
  if (options->until != NULL) stream.until_ns = steno_nanoseconds(*options->until);
  stream.dictionary_strings = true;
  stream.skip_missing = true;
  stream.columns = scan->names;
  stream.column_count = scan->name_count;
  count = choose(scan, &stream, choices);
  stream.where = options->where;
  steno_start_batches(scan->log, &stream, choices, count);
  // Their numbers are of these batches.
  for (size_t i = 0; i < scan->schema_count; ++i) {
    if (scan->columns[i] != NULL) pfree(scan->columns[i]);
    scan->columns[i] = NULL;
  }
  scan->row = scan->count = 0;
}

static const int* find_columns(LogScan* scan) {
  const size_t number = scan->batch.schema_number;
  const MemoryContext before = MemoryContextSwitchTo(scan->memory);
  if (number >= scan->schema_count) {
    const size_t room = number * 2 + 16;
    scan->columns = scan->columns == NULL ? palloc_extended(room * sizeof *scan->columns, MCXT_ALLOC_HUGE)
                                          : repalloc_huge(scan->columns, room * sizeof *scan->columns);
    memset(scan->columns + scan->schema_count, 0, (room - scan->schema_count) * sizeof *scan->columns);
    scan->schema_count = room;
  }
  if (scan->columns[number] == NULL) {
    int* const found = scan->columns[number] = palloc(Max(scan->options.column_count, 1) * sizeof *found);
    for (int i = 0; i < scan->options.column_count; ++i) {
      const char* const name = scan->options.columns[i];
      found[i] = steno_find_column(scan->batch.schema, name);
      if (found[i] == kNoColumn && strcmp(name, "primary_message") == 0) found[i] = kMessage;
    }
  }
  MemoryContextSwitchTo(before);
  return scan->columns[number];
}

bool steno_next_row(LogScan* scan, Datum* values, bool* nulls) {
  while (scan->row == scan->count) {
    scan->row = scan->count = 0;
    if (!steno_next_batch(scan->log, &scan->batch)) return false;
    scan->columns_of_batch = find_columns(scan);
    scan->count = scan->batch.array->length;
  }
  for (int i = 0; i < scan->options.column_count; ++i) {
    const struct ArrowSchema* const schema = scan->batch.schema;
    const struct ArrowArray* const array = scan->batch.array;
    const int column = scan->columns_of_batch[i];
    nulls[i] = column == kNoColumn;
    if (nulls[i]) continue;
    if (column == kMessage) {
      const int site = scan->site_of_choice[scan->batch.choice];
      values[i] = steno_message_datum(schema, array, scan->row, scan->log->sites[site].format);
    } else {
      values[i] = steno_datum(schema->children[column], array->children[column], scan->row + array->offset,
                              scan->options.types[i], &nulls[i]);
    }
  }
  ++scan->row;
  return true;
}

void steno_end_scan(LogScan* scan) {
  steno_close_batches(scan->log);
}
