// A statement that runs, and its record.
#pragma once

#include "steno_pg.h"

#include <steno/c.h>

#include "datatype/timestamp.h"
#include "executor/execdesc.h"
#include "executor/instrument.h"
#include "portability/instr_time.h"
#include "utils/elog.h"

// Values of a statement's parameters, as they are logged: the first ones in columns of their own types, the others, and
// what there are too many combinations of types of, as text.
enum { kTypedParameters = 8 };
typedef struct Parameters {
  uint64 types;                        // a code of each in a byte (parameters.c), the first the lowest; 0: no more
  char numbers[8 * kTypedParameters];  // as records have them: without those that are NULL; of a text its length
  int number_bytes;
  struct steno_detail_bytes texts[kTypedParameters];
  int text_count;
  const char* others;  // "'two', 3"; after typed ones with a comma before
} Parameters;

// Into `room`, or if that is NULL into the current memory context, where texts are in any case; each cut at
// steno.parameter_max_length. May throw, as it calls output functions of types.
Parameters* steno_take_parameters(ParamListInfo parameters, Parameters* room);
// While an error is handled: catalogs must not be read then, so that values of types which need them are `?`.
Parameters* steno_take_parameters_of_failed(ParamListInfo parameters);
// The letter of <spec/types.md> of a type's code; 0: NULL, which has no value.
char steno_letter_of(unsigned char code);
bool steno_is_time(unsigned char code);

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

// What runs (executions.c).
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

// Statements that fail where no hook is (refused.c). A client's query has been analysed, the text of which is this part
// of `source`; `length` <= 0: to its end.
void steno_note_analysed(const char* source, int location, int length, uint64 query_id);
// A client's statement begins to run, or ends without an error, whether it is logged or not.
void steno_note_begun(void);
void steno_note_ended(void);
// The record of a client's statement that failed has been written.
void steno_note_recorded(void);
// An error that is written to the server's log. If it ended a client's statement that has no record, it gets one.
// Allocates nothing, and throws nothing.
void steno_write_unanalysed(const ErrorData* error);

// Statements that end with their transaction (transactions.c).
void steno_follow_transactions(void);
// A COMMIT or PREPARE TRANSACTION that PostgreSQL carries out after the command: ends with the transaction, as that
// does.
void steno_end_at_commit(Execution* e);
// Whether the record of a statement that has ended without an error is written when its transaction ends, which is its
// own.
bool steno_ends_with_transaction(const Execution* e);
// A client has begun a block of statements that are one transaction.
void steno_begin_block(void);
// The transaction that is about to end is to be followed by such a block.
void steno_chain_block(void);
// What waits for the end of its transaction has ended: another statement of the client's begins. `error` as above.
void steno_settle(int error);
// Whether a statement of this message waits for the end of its transaction.
bool steno_waits_for_transaction(void);
// Whether a transaction is being committed for what waits for it.
bool steno_is_in_commit(void);
// Whether the client has begun a block of statements.
bool steno_is_in_block(void);

// Logs the plan of a statement that took as long as steno.log_plans says, unless one of its shape has been not long
// ago. The id of its shape, 0 if it took less. May throw, as EXPLAIN does.
int64 steno_log_plan(const Execution* e, QueryDesc* query);

// To be called before the server's children are made: they have the statement's site then.
void steno_prepare_statement_record(void);
// Whether parameters of these types have columns: there is a site for each combination, up to a bound. Allocates.
bool steno_has_columns_for(uint64 types);
// Allocates nothing of PostgreSQL's, and throws nothing. `error`: a code of PostgreSQL's, 0: none.
void steno_write_statement(const Execution* e, int error);
// Makes the record of a statement, to be written later: there is one at a time. False: there cannot be one.
bool steno_keep_statement(const Execution* e);
// `commit_ns`: what has gone by since it ended.
void steno_write_kept_statement(int error, uint64 commit_ns);
