// Scans of the log, for SQL: rows of records.
#pragma once

#include "steno_pg.h"

#include "datatype/timestamp.h"

typedef struct LogScan LogScan;

// The condition for the statement that a scan is about to read, beside the others; NULL: none. `skip`: none of its
// records.
typedef char* (*StatementCondition)(void* context, const LogScan* scan, bool* skip);

typedef struct LogScanOptions {
  MemoryContext query;
  // These are the parameters of steno_open_log().
  const char* path;
  const TimestampTz* files_since;
  const char* statement;     // a part of the formats of those whose records are wanted
  const TimestampTz* since;  // NULL: the beginning
  const TimestampTz* until;  // records before it; NULL: the end
  const char* where;         // as `steno cat --where` takes it, in UTF-8; NULL: all
  int column_count;
  // Arguments, fields of context, and what all records have, such as "time"; "primary_message" of messages whose values
  // are columns, too. What a statement lacks is null.
  const char* const* columns;
  const Oid* types;              // int8, float8, text or timestamptz
  StatementCondition condition;  // NULL: none
  void* condition_context;
} LogScanOptions;

// Opens the log. Allocates in the current memory context, whose end ends the scan. What `options` points at must last
// as long.
LogScan* steno_make_scan(const LogScanOptions* options);
// To the first row, of the log as it was when it was opened; what the options point at may have changed but for path,
// statement and columns. Allocates in the current memory context what must last until the next call.
void steno_start_scan(LogScan* scan);
// In one pass: block by block as the file has them, in each statement by statement, in order of time. The values are in
// the current memory context. False: there are no more.
bool steno_next_row(LogScan* scan, Datum* values, bool* nulls);
// The kind of value that the statement of a StatementCondition has for one of the scan's columns: 's' a text, 'i' an
// integer, 'f' and 'g' a float and a double, 't' a time, 'b' a truth value; '\0': nothing.
char steno_field_type(const LogScan* scan, const char* name);
// To let go of the log sooner.
void steno_end_scan(LogScan* scan);
