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
  // The times as the client sees them (elapsed.c).
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

// The executions that run (running.c).
extern int steno_nesting;      // how many statements enclose the current one
extern uint64 steno_written;   // records of statements so far
extern int steno_fatal_error;  // that this process ends by; 0: none yet
// The execution of a plan, all zero: in a room of its own where that is free, else `local`. Ends by one of these: kept,
// in its place among what runs, as long as the plan's memory, so that its record is written when that goes; or
// forgotten.
Execution* steno_begin_execution(Execution* local);
void steno_keep_execution(Execution* e, MemoryContext memory);
void steno_forget_execution(Execution* e);
// Returns whether the execution has that room of its own.
bool steno_is_first(const Execution* e);
// That of a plan; NULL: it is not to be logged.
Execution* steno_find_execution(const QueryDesc* plan);
// The innermost that runs, or waits for its execution in a portal; NULL: there is none.
Execution* steno_innermost(void);
// It runs from here on, within the innermost one; it does no longer, and nothing is written.
void steno_list(Execution* e);
void steno_leave(Execution* e);
// Around what counts as the statement's work.
void steno_begin_call(Execution* e);
// Goes on with the call that has just ended: the clock is not read again.
void steno_go_on_with_call(Execution* e);
void steno_end_call(Execution* e);
// Writes its record, unless it took less than steno.min_duration. Throws nothing.
void steno_write_ended(const Execution* e, int error);
