// A statement that runs, and its record.
#pragma once

#include "parameters.h"
#include "steno_pg.h"

#include "datatype/timestamp.h"
#include "executor/execdesc.h"
#include "executor/instrument.h"
#include "portability/instr_time.h"

enum { kBlockCounts = 10 };

typedef struct Execution {
  struct Execution* outer;
  struct Execution* inner;
  bool is_listed;        // runs, or is open
  bool is_waiting;       // a plan that has been started, and not been executed yet
  MemoryContext memory;  // of its own; NULL: it has none
  MemoryContextCallback when_freed;
  const char* command;
  int64 query_id;
  const char* source;  // what to log of it besides parameters; NULL: nothing
  int source_size;
  const Parameters* parameters;  // NULL: none
  uint64 planning_ns;
  uint64 duration_ns;  // while a call runs, less the time when it began
  uint64 jit_ns;
  // As the client sees it (elapsed.c).
  TimestampTz begin;  // of its message; 0: it is no client's
  uint64 earlier_ns;  // what an earlier message took, in which it was parsed
  uint64 began_ns;    // when its first call began; 0: none has
  uint64 ended_ns;    // when its last one ended
  uint64 parsing_ns;  // before that, but for planning
  uint64 elapsed_ns;  // but for its commit
  int64 plan_id;      // of its shape; 0: not asked for
  uint64 rows;
  // While a call runs, less what there had been when it began.
  int64 blocks[kBlockCounts];  // as a BufferUsage begins
  uint64 wal_bytes;
  bool is_called;
  bool is_last;         // of the message's statements
  TimestampTz message;  // of the client's, in which it ran last
  int nesting;
} Execution;

// The statements that run (executions.c).
extern int steno_nesting;     // how many statements enclose the current one
extern uint64 steno_written;  // records of statements so far
// Whether a statement that begins now is to be logged.
bool steno_is_wanted(Node* statement);
// How many enclose one that begins now, a commit that runs triggers included.
int steno_depth(void);
// Of a plan, all zero: in a room of its own where that is free, else `local`. Ends by one of these: kept, in its place
// among what runs, as long as the plan's memory, so that its record is written when that goes; or forgotten.
Execution* steno_begin_execution(Execution* local);
void steno_keep_execution(Execution* e, MemoryContext memory);
void steno_forget_execution(Execution* e);
// Around what counts as the statement's work.
void steno_begin_call(Execution* e);
// That which has just ended: the clock is not read again.
void steno_go_on_with_call(Execution* e);
void steno_end_call(Execution* e);
// Whether what EXECUTE executes is the last of the message's statements: as EXECUTE is. Ends with it.
extern const bool* steno_execute_is_last;
// From here on it runs. Logs its text, takes its parameters in the current memory context; may throw.
void steno_enter(Execution* e, const char* source, int location, int length, bool is_utility, ParamListInfo parameters);
// No longer; nothing is written.
void steno_leave(Execution* e);
// That of a plan; NULL: it is not to be logged.
Execution* steno_find_execution(const QueryDesc* plan);
// Write its record and end it; these throw nothing. With an error: in PG_CATCH(), where that is still there. A plan
// that was not executed ends without a record, if it has no error.
void steno_end(Execution* e);
void steno_end_with_error(Execution* e);
// The record of a query whose planning failed; in PG_CATCH().
void steno_write_unplanned(const char* command, uint64 query_id, const char* source, int location, int length,
                           ParamListInfo parameters);
// Its record, unless it took less than steno.min_duration. Throws nothing.
void steno_write_ended(const Execution* e, int error);
// Whether a statement runs, or waits for its execution in a portal.
bool steno_is_any_running(void);
