// The statements that run, and how their records come to be written.
//
// It is in a list, innermost first: executions of plans, which may outlive the calls that run them (cursors), and
// commands. There may be thousands of cursors, so that none is looked for there. A plan's entry is freed with its
// memory; one that is thrown away unfinished (a cursor at the end of its transaction) writes its record then, and what
// a FATAL error finds running does when the process ends. A plan that is never executed has no record. A COMMIT's work
// is done after the command, so its record is written when the transaction has ended.
#include "elapsed.h"
#include "refused.h"
#include "statement_record.h"
#include "statement_source.h"
#include "transactions.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "nodes/memnodes.h"
#include "storage/ipc.h"
#include "tcop/utility.h"
#include "utils/memutils.h"

int steno_nesting;
uint64 steno_written;
const bool* steno_execute_is_last;

static Execution* running;
static bool is_in_sample;  // the outermost one
static Execution first;    // of a plan, which is most often the only one
static bool first_is_used;
static Parameters first_parameters;

int steno_depth(void) {
  return steno_nesting + steno_is_in_commit();
}

bool steno_is_wanted(Node* statement) {
  const int level = steno_depth();
  if (!steno_is_running || steno_log_statement == LOGSTMT_NONE || IsParallelWorker()) return false;
  if (level == 0) is_in_sample = steno_sample_rate >= 1 || pg_prng_double(&pg_global_prng_state) < steno_sample_rate;
  if (!is_in_sample || (level > 0 && !steno_log_nested)) return false;
  return steno_log_statement == LOGSTMT_ALL || GetCommandLogLevel(statement) <= (LogStmtLevel)steno_log_statement;
}

// The counts of blocks, one after the other.
StaticAssertDecl(offsetof(BufferUsage, shared_blks_hit) == 0 &&
                     sizeof(((BufferUsage*)NULL)->shared_blks_hit) == sizeof(int64) &&
                     offsetof(BufferUsage, temp_blks_written) == (kBlockCounts - 1) * sizeof(int64),
                 "a BufferUsage begins with other counts");

static void begin_call_at(Execution* e, uint64 now) {
  const int64* const counts = &pgBufferUsage.shared_blks_hit;
  for (int i = 0; i < kBlockCounts; ++i) e->blocks[i] -= counts[i];
  e->wal_bytes -= pgWalUsage.wal_bytes;
  e->is_called = true;
  e->message = GetCurrentStatementStartTimestamp();
  e->duration_ns -= now;
  if (e->began_ns == 0) e->began_ns = now;
}

void steno_begin_call(Execution* e) {
  begin_call_at(e, steno_now_ns());
}

void steno_go_on_with_call(Execution* e) {
  begin_call_at(e,
                e->ended_ns != 0 && e->message == GetCurrentStatementStartTimestamp() ? e->ended_ns : steno_now_ns());
}

void steno_end_call(Execution* e) {
  const int64* const counts = &pgBufferUsage.shared_blks_hit;
  if (!e->is_called) return;
  e->ended_ns = steno_now_ns();
  e->duration_ns += e->ended_ns;
  e->is_called = false;
  for (int i = 0; i < kBlockCounts; ++i) e->blocks[i] += counts[i];
  e->wal_bytes += pgWalUsage.wal_bytes;
}

// Throws nothing, and allocates nothing of PostgreSQL's: it is called while errors are handled, too.
void steno_write_ended(const Execution* e, int error) {
  if (error != 0 && e->nesting == 0) steno_note_recorded();
  if (error == 0 && e->elapsed_ns < (uint64)steno_min_duration * 1000000) return;
  steno_write_statement(e, error);
  ++steno_written;
}

void steno_leave(Execution* e) {
  if (!e->is_listed) return;
  e->is_listed = false;
  if (e->outer != NULL) e->outer->inner = e->inner;
  if (e->inner != NULL) {
    e->inner->outer = e->outer;
  } else {
    running = e->outer;
  }
}

static void list(Execution* e) {
  e->inner = NULL;
  e->outer = running;
  if (running != NULL) running->inner = e;
  running = e;
  e->is_listed = true;
}

bool steno_is_any_running(void) {
  return running != NULL;
}

void steno_end(Execution* e) {
  steno_end_call(e);
  steno_leave(e);
  if (e->is_waiting) return;
  steno_measure(e);
  if (steno_ends_with_transaction(e)) {
    ++steno_written;
  } else {
    steno_write_ended(e, 0);
  }
}

void steno_end_with_error(Execution* e) {
  steno_end_call(e);
  steno_leave(e);
  steno_measure(e);
  steno_write_ended(e, geterrcode());
}

// Its memory goes, and nobody has ended it.
static void when_freed(void* execution) {
  Execution* const e = execution;
  MemoryContext const memory = e->memory;
  if (e->is_listed) {
    steno_leave(e);
    e->source = NULL;  // may have gone before
    e->source_size = 0;
    if (!e->is_waiting) {
      steno_measure(e);
      steno_write_ended(e, 0);
    }
  }
  if (e == &first) first_is_used = false;
  if (memory != NULL) MemoryContextDelete(memory);
}

Execution* steno_begin_execution(Execution* local) {
  Execution* const e = first_is_used ? local : &first;
  first_is_used = true;
  memset(e, 0, sizeof *e);
  return e;
}

void steno_forget_execution(Execution* e) {
  if (e == &first) first_is_used = false;
}

void steno_keep_execution(Execution* e, MemoryContext memory) {
  Execution* const kept = e != &first ? MemoryContextAlloc(memory, sizeof *kept) : &first;
  if (kept != e) {
    *kept = *e;
    if (kept->outer != NULL) kept->outer->inner = kept;
    if (kept->inner != NULL) {
      kept->inner->outer = kept;
    } else {
      running = kept;
    }
  }
  kept->when_freed.func = when_freed;
  kept->when_freed.arg = kept;
  MemoryContextRegisterResetCallback(memory, &kept->when_freed);
}

// Ends the statements that a FATAL error found running, and those that a client left open.
static void at_exit(int code, Datum argument) {
  steno_settle(steno_fatal_error);
  while (running != NULL) {
    Execution* const e = running;
    steno_end_call(e);
    steno_leave(e);
    if (e->is_waiting) continue;
    steno_measure(e);
    steno_write_ended(e, code == 0 ? 0 : steno_fatal_error);
  }
}

// Logs its text, and takes into it what the record has of that.
static void take_text(Execution* e, const char* source, int location, int length, bool is_utility) {
  bool has_constants;
  if (STENO_COMMENTS_ARE_LEFT_OUT && location > 0) {
    const int begin = steno_source_begin(source, location);
    if (length > 0) length += location - begin;
    location = begin;
  }
  // PostgreSQL computes none where compute_query_id is off.
  if (e->query_id == 0) {
    e->query_id = (int64)hash_bytes_extended((const unsigned char*)source + location,
                                             length > 0 ? length : (int)strlen(source + location), 0);
  }
  has_constants = steno_log_text(e->query_id, source, location, length, is_utility);
  if (has_constants && steno_log_parameters && !steno_redact_parameters) {
    e->source = source + location;
    e->source_size = length > 0 ? length : (int)strlen(e->source);
  }
}

static bool has_values(ParamListInfo parameters) {
  return steno_log_parameters && !steno_redact_parameters && parameters != NULL && parameters->numParams > 0 &&
         parameters->paramFetch == NULL;
}

void steno_enter(Execution* e, const char* source, int location, int length, bool is_utility,
                 ParamListInfo parameters) {
  static bool at_exit_is_set;
  const bool is_last =
      steno_execute_is_last != NULL ? *steno_execute_is_last : steno_is_last_source(source, location, length);
  if (!at_exit_is_set) {
    before_shmem_exit(at_exit, 0);
    at_exit_is_set = true;
  }
  e->nesting = steno_depth();
  if (e->nesting == 0) {
    steno_settle(0);
    e->is_last = is_last;
    steno_begin_elapsed(e);
    steno_note_begun();
  }
  take_text(e, source, location, length, is_utility);
  if (has_values(parameters)) e->parameters = steno_take_parameters(parameters, e == &first ? &first_parameters : NULL);
  list(e);
}

void steno_write_unplanned(const char* command, uint64 query_id, const char* source, int location, int length,
                           ParamListInfo parameters) {
  Execution e;
  memset(&e, 0, sizeof e);
  e.command = command;
  e.query_id = (int64)query_id;
  take_text(&e, source, location, length, false);
  if (has_values(parameters)) e.parameters = steno_take_parameters_of_failed(parameters);
  e.nesting = steno_depth();
  if (e.nesting == 0) {
    steno_settle(0);
    steno_begin_elapsed(&e);
  }
  steno_measure(&e);
  steno_write_ended(&e, geterrcode());
}

// Callbacks of a plan's memory are those of what is in it: few.
Execution* steno_find_execution(const QueryDesc* plan) {
  if (plan->estate == NULL) return NULL;
  for (const MemoryContextCallback* at = plan->estate->es_query_cxt->reset_cbs; at != NULL; at = at->next) {
    if (at->func == when_freed && ((Execution*)at->arg)->is_listed) return at->arg;
  }
  return NULL;
}
