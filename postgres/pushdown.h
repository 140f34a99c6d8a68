// The part of a query's conditions that the reader of the log is told, so that it skips what cannot match: comparisons
// of a column with what is no column (=, <>, <, <=, >, >=, IN, BETWEEN), and AND and OR of these. PostgreSQL asks all
// of its conditions again of what is found, so that a condition may be left out here, or be wider, but never narrower.
#pragma once

#include "log_scan.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

// The fields of a foreign table: those that its columns are, by attribute number from 1.
typedef struct LogTable {
  const char* path;
  const char* statement;
  int column_count;
  const char** fields;  // NULL: a column that has been dropped
  Oid* types;
} LogTable;

// The fields of the foreign table with this number. In the current memory context.
LogTable* steno_describe_table(Oid oid);

// When a query is planned. Adds a clause to `tree`, in a form that plans can have, and what it compares with to
// `expressions`; false: it cannot be pushed down.
bool steno_push_clause(Expr* clause, Index relation, const LogTable* table, List** tree, List** expressions);
// The clauses as EXPLAIN shows them; "": none.
char* steno_describe_clauses(const List* tree, const List* expressions, const LogTable* table);

// When it is executed: the clauses with the values that they compare with.
// 1970, as of which a log may have records.
static const TimestampTz kLeastTime = -(int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

typedef struct PushedClauses {
  const LogTable* table;
  const List* tree;
  int value_count;
  Datum* values;
  bool* nulls;
  Oid* types;
} PushedClauses;

// The time that the clauses leave. False: none. `since` is kLeastTime where they say nothing of it.
bool steno_pushed_times(const PushedClauses* clauses, TimestampTz* since, TimestampTz* until);
// The condition for one statement, as `steno cat --where` takes it, NULL: none. `skip`: no record of it can match.
// A StatementCondition.
char* steno_pushed_condition(void* clauses, const LogScan* scan, bool* skip);
