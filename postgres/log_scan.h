// Scans of the log, for SQL.
#pragma once

#include "steno_pg.h"

#include <steno/c_reader.h>

#include "datatype/timestamp.h"
#include "message_format.h"

typedef struct LogScan LogScan;

// The condition for the statement that a scan has come to, beside the others; NULL: none. `skip`: none of its records.
typedef char* (*StatementCondition)(void* context, const LogScan* scan, bool* skip);

typedef struct LogScanOptions {
  const char* path;          // NULL: that of steno.path
  const char* statement;     // a part of the formats of those whose records are wanted
  const TimestampTz* since;  // NULL: the beginning
  const TimestampTz* until;  // records before it; NULL: the end
  const char* where;         // as `steno cat --where` takes it, in UTF-8; NULL: all
  int column_count;
  // Arguments, fields of context, and what all records have, such as "time"; "primary_message" of messages whose values
  // are columns, too. What a statement lacks is null.
  const char* const* columns;
  const Oid* types;              // int8, float8, text or timestamptz
  StatementCondition condition;  // NULL: none, of a scan with a `where`
  void* condition_context;
} LogScanOptions;

// Allocates in the current memory context, whose end ends the scan. What `options` points at must last as long.
LogScan* steno_begin_scan(const LogScanOptions* options);
// Statement by statement, each in order of time. The values are in the current memory context. False: there are no
// more.
bool steno_next_row(LogScan* scan, Datum* values, bool* nulls);
// What the statement has for one of the scan's columns: 's' a text, 'i' an integer, 'f' and 'g' a float and a double,
// 't' a time, 'b' a truth value; '\0': nothing.
char steno_field_type(const LogScan* scan, const char* name);
// To let go of the log sooner.
void steno_end_scan(LogScan* scan);

// The file's absolute path; an error where neither says it.
char* steno_find_log(const char* path);
// `path` as above. Never NULL; to be closed.
steno_reader* steno_open_log(const char* path);
void steno_close_log(steno_reader* reader);

// Values of batches as those of SQL (log_values.c).
Datum steno_datum(const struct ArrowSchema* schema, const struct ArrowArray* array, int64 row, Oid type, bool* is_null);
// The text of a message whose values are columns, by its record's format.
Datum steno_message_datum(const struct ArrowSchema* schema, const struct ArrowArray* batch, int64 row,
                          const char* format);
